import { describe, expect, it } from "vitest";
import type { ClusterProviders } from "../../../../functions/cluster/rules/providers.ts";
import { clusterWritesDue } from "../../../../functions/cluster/rules/writes-due.ts";
import type { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { cluster } from "../../../support/builders.ts";
import {
  deletedCluster,
  FOREIGN_CONTROLLER,
  fooCluster,
  fooControlPlane,
  found,
  missing,
  newCluster,
  TOPOLOGY,
  unresolved,
} from "../../../support/foo-cluster.ts";

const BARE = { metadata: { ownerReferences: undefined } };
const FOREIGN = { metadata: { ownerReferences: [FOREIGN_CONTROLLER] } };

function due(of: Cluster, providers: Partial<ClusterProviders> = {}): boolean {
  const up = { infrastructure: found(fooCluster()), controlPlane: found(fooControlPlane()) };
  return clusterWritesDue(of, { ...up, ...providers });
}

describe("clusterWritesDue", () => {
  it.each([
    ["the finalizer", cluster({ metadata: { finalizers: undefined } }), {}],
    ["the owner of the infra object", cluster(), { infrastructure: found(fooCluster(BARE)) }],
    ["the owner of the control plane object", cluster(), { controlPlane: found(fooControlPlane(BARE)) }],
    ["the endpoint", newCluster(), {}],
  ])("is true while %s is outstanding", (_, of, providers) => {
    expect(due(of, providers)).toBe(true);
  });

  it.each([
    ["everything is written", cluster(), {}],
    ["the Cluster is paused", newCluster({ spec: { paused: true } }), {}],
    ["the Cluster is being deleted", deletedCluster({ spec: { controlPlaneEndpoint: undefined } }), {}],
    ["the objects are missing", newCluster(), { infrastructure: missing("I"), controlPlane: missing("P") }],
    [
      "the objects must not be written",
      newCluster(),
      { infrastructure: unresolved(), controlPlane: unresolved() },
    ],
    [
      "the topology has not named them",
      newCluster({ spec: { topology: TOPOLOGY, controlPlaneRef: undefined } }),
      {},
    ],
    [
      "adoption is refused",
      cluster({ spec: { topology: TOPOLOGY } }),
      { infrastructure: found(fooCluster(FOREIGN)), controlPlane: undefined },
    ],
    [
      "no provider has an endpoint yet",
      newCluster(),
      { infrastructure: found(fooCluster({ spec: undefined })) },
    ],
  ])("is false when %s", (_, of, providers) => {
    expect(due(of, providers)).toBe(false);
  });
});
