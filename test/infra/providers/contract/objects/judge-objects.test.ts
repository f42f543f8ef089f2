import { describe, expect, it } from "vitest";
import type { Finding } from "../../../../../infra/providers/contract/finding.ts";
import { judgeDocumentObjects } from "../../../../../infra/providers/contract/objects/judge-objects.ts";
import type { InputDocument } from "../../../../../infra/providers/contract/read-crd.ts";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import { OBJECT_RULES } from "../../../../../shared/contract/rules/objects/rules.ts";
import { BROKEN_OBJECTS } from "../../../../support/contract/broken-objects.ts";
import { CANARY } from "../../../../support/contract/credentials.ts";
import { goodWorld, type World } from "../../../../support/contract/objects.ts";

function judged(world: World, ...more: readonly InputDocument["value"][]) {
  const values = [...Object.values(world), ...more];
  const documents = values.map((value, index) => ({ value, file: "world.yaml", line: index + 1 }));
  const options = { named: new Map(), assumed: "v1beta2" as const, waivers: new Map(), now: new Date() };
  return judgeDocumentObjects(documents, [], options);
}

/** `fail CP-34` for everything that is not kept, each once. */
function broken(findings: readonly Finding[]): readonly string[] {
  const counted = findings.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
  return [...new Set(counted.map(({ verdict, rule }) => `${verdict} ${rule}`))];
}

describe("objects that keep their contracts", () => {
  it("have no finding, and pass each rule on objects", async () => {
    const { findings } = judged(await goodWorld());
    expect(findings.filter(({ verdict }) => verdict !== "pass")).toEqual([]);
    const passed = new Set(findings.map(({ rule }) => rule));
    expect([...OBJECT_RULES.map(({ id }) => id), "CTL-37"].filter((id) => !passed.has(id))).toEqual([]);
  });
});

describe("one change breaks one rule of objects in a file", () => {
  it.each(BROKEN_OBJECTS.map((row) => [`${row.verdict} ${row.rule}`, row.title, row] as const))(
    "%s: %s",
    async (expected, _, { change, onServerOnly }) => {
      const world = await goodWorld();
      await change(world);
      const { findings } = judged(world);
      expect(broken(findings)).toEqual(onServerOnly === true ? [] : [expected]);
      expect(JSON.stringify(findings)).not.toContain(CANARY);
      if (onServerOnly === true) {
        expect(findings.filter(({ verdict }) => verdict === "unknown").map(({ rule }) => rule)).toContain(
          expected.slice("fail ".length),
        );
      }
    },
  );

  it("covers every rule on objects", () => {
    const covered = new Set(BROKEN_OBJECTS.map(({ rule }) => rule));
    expect([...OBJECT_RULES.map(({ id }) => id), "CTL-37"].filter((id) => !covered.has(id))).toEqual([]);
  });
});

describe("documents that belong together", () => {
  it("are compared with Nodes where these are among them", async () => {
    const node = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n1" },
      spec: { providerID: "foo://1" },
    };
    expect(broken(judged(await goodWorld(), node).findings)).toEqual(["fail IMP-29"]);
    const other = { ...node, metadata: { name: "n2" }, spec: { providerID: "foo://2" } };
    expect(broken(judged(await goodWorld(), node, other).findings)).toEqual([]);
  });

  it("decide nothing about objects that are missing", async () => {
    const kept = Object.entries(await goodWorld()).filter(([name]) =>
      ["infra", "config", "controlPlane"].includes(name),
    );
    const { findings } = judged(Object.fromEntries(kept));
    const undecided = findings.filter(({ verdict }) => verdict === "unknown").map(({ rule }) => rule);
    expect(broken(findings)).toEqual([]);
    expect(new Set(undecided)).toEqual(new Set(["CTL-37", "BC-19", "BC-21", "CP-34", "CP-35", "CP-36"]));
  });

  it("are judged by the Cluster that names a control plane, or by a Cluster with its kubeconfig alone", async () => {
    const { cluster, controlPlane, kubeconfig } = await goodWorld();
    const { labels: _, ownerReferences: __, ...metadata } = (controlPlane as KubeObject).metadata;
    const naming = {
      ...cluster,
      spec: {
        controlPlaneRef: {
          apiGroup: "controlplane.cluster.x-k8s.io",
          kind: controlPlane?.kind,
          name: metadata.name,
        },
      },
    };
    const bad = { ...kubeconfig, type: "Opaque" };
    for (const documents of [
      [naming, { ...controlPlane, metadata }, bad],
      [cluster, bad],
    ]) {
      const { findings } = judged(Object.fromEntries(documents.entries()) as never);
      expect(broken(findings.filter(({ rule }) => rule.startsWith("CP-")))).toEqual(["fail CP-34"]);
    }
  });

  it("find a Secret in another namespace", async () => {
    const world = await goodWorld();
    for (const name of ["data", "kubeconfig"])
      Object.assign(world[name]?.metadata ?? {}, { namespace: "other" });
    expect(new Set(broken(judged(world).findings))).toEqual(new Set(["fail BC-19", "fail CP-34"]));
  });

  it("may have members of any type", async () => {
    const world = await goodWorld();
    const strange = { ownerReferences: [1, { kind: 2 }], labels: [3], finalizers: 4, annotations: "5" };
    for (const [name, object] of Object.entries(world)) {
      const { spec: _, ...rest } = object;
      const metadata = { ...object.metadata, ...strange };
      for (const value of [null, "text", 7, [], {}, { versions: 1, conditions: {}, dataSecretName: [] }]) {
        const { findings } = judged({ ...world, [name]: { ...rest, metadata, status: value } as never });
        expect(findings.length).toBeGreaterThan(0);
      }
    }
  });
});
