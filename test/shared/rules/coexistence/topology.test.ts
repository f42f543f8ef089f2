import { describe, expect, it } from "vitest";
import {
  readTopologyRuns,
  topologyExpiresInMs,
  topologyNotices,
  topologyProblem,
} from "../../../../shared/rules/coexistence/topology.ts";
import { cluster, crd, machineCondition } from "../../../support/builders.ts";
import { deletedCluster, TOPOLOGY } from "../../../support/foo-cluster.ts";
import { NOW } from "../../../support/world.ts";

const PLANNED = { spec: { topology: TOPOLOGY, infrastructureRef: undefined, controlPlaneRef: undefined } };
/** Created at that time. */
function aged(time: string, types: readonly string[] = []) {
  const conditions = types.map((type) => machineCondition(type, "False", "ClusterClassNotReconciled"));
  return cluster({
    ...PLANNED,
    metadata: { creationTimestamp: `2026-01-01T${time}Z` },
    status: { conditions },
  });
}
const CLASSES = crd("cluster.x-k8s.io", "ClusterClass", {
  metadata: { name: "clusterclasses.cluster.x-k8s.io" },
});

function readerOf(found: typeof CLASSES | undefined): {
  read: Parameters<typeof readTopologyRuns>[0];
  asked: string[];
} {
  const asked: string[] = [];
  const get = async (_kind: unknown, { name }: { readonly name: string }) => {
    asked.push(name);
    return found as never;
  };
  return { read: { get }, asked };
}

describe("readTopologyRuns", () => {
  it.each([
    ["served", CLASSES, true],
    ["not there", undefined, false],
    [
      "Capstan's own",
      {
        ...CLASSES,
        metadata: { ...CLASSES.metadata, labels: { "app.kubernetes.io/managed-by": "capstan" } },
      },
      false,
    ],
    [
      "not served",
      { ...CLASSES, spec: { ...CLASSES.spec, versions: [{ name: "v1", served: false }] } },
      false,
    ],
  ])("follows the definition of ClusterClass: %s", async (_, found, runs) => {
    const { read, asked } = readerOf(found);
    expect(await readTopologyRuns(read, cluster(PLANNED))).toBe(runs);
    expect(asked).toEqual(["clusterclasses.cluster.x-k8s.io"]);
  });

  it("asks nothing for a Cluster without topology", async () => {
    const { read, asked } = readerOf(CLASSES);
    expect(await readTopologyRuns(read, cluster())).toBe(false);
    expect(asked).toEqual([]);
  });
});

describe("topologyProblem", () => {
  it("says what spec.topology needs and what to write instead", () => {
    const needs = "spec.topology needs Cluster API's topology controller, which does not run here";
    const planned = cluster(PLANNED);
    const message = `${needs}; set infrastructureRef and controlPlaneRef instead`;
    expect(topologyProblem(planned, false, NOW)).toBe(message);
    expect(topologyNotices(planned, false, NOW)).toEqual([
      { type: "Warning", reason: "TopologyNotSupported", message },
    ]);
    expect(topologyProblem(cluster({ spec: { topology: TOPOLOGY } }), false, NOW)).toBe(
      `${needs}; change the referenced objects instead`,
    );
  });

  it("says after a minute that no controller has begun, although its CRDs are installed", () => {
    expect(topologyExpiresInMs(aged("11:59:01"), true, NOW)).toBe(1_000);
    expect(topologyProblem(aged("11:59:00"), true, NOW)).toMatch(
      /^spec\.topology needs .* nothing has reconciled it; start Cluster API's manager with the feature gate ClusterTopology/,
    );
  });

  it.each([
    ["has no topology", cluster(), false],
    ["is young, and whose topology may still be reconciled", aged("11:59:01"), true],
    ["has had its topology reconciled", aged("11:00:00", ["TopologyReconciled"]), true],
    ["is being deleted", deletedCluster(PLANNED), false],
  ])("says nothing about a Cluster that %s", (_, of, runs) => {
    expect(topologyProblem(of, runs, NOW)).toBeUndefined();
    expect(topologyNotices(of, runs, NOW)).toEqual([]);
  });
});
