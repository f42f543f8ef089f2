import { type CelInput, run } from "@bufbuild/cel";
import { describe, expect, it } from "vitest";
import { loadCrds } from "../../../../infra/platform/crds/crd.ts";
import { valueAt } from "../../../../shared/api/path.ts";
import { changed, manifest } from "../../../shared/api/manifests.ts";
import { ALL_KINDS } from "../../../support/all-kinds.ts";

const RULES = "x-kubernetes-validations";

/** Messages of the rules at one node of a CRD's schema that refuse the value there; transitions only with `old`. */
async function refusals(
  plural: string,
  node: string,
  value: unknown,
  old?: unknown,
): Promise<readonly string[]> {
  const crd = (await loadCrds(ALL_KINDS)).find(({ metadata }) => metadata.name.startsWith(`${plural}.`));
  const versions = valueAt(crd, "spec.versions");
  const schema = node
    .split(".")
    .filter((name) => name !== "")
    .reduce<unknown>(
      (at, name) => valueAt(at, `properties.${name}`),
      valueAt(Array.isArray(versions) ? versions[0] : undefined, "schema.openAPIV3Schema"),
    );
  const rules = valueAt(schema, RULES);
  expect(rules).toBeInstanceOf(Array);
  const bindings = { self: value as CelInput, oldSelf: old as CelInput };
  return (Array.isArray(rules) ? rules : []).flatMap(
    ({ rule, message }: { rule: string; message: string }) => {
      if (old === undefined && rule.includes("oldSelf")) return [];
      const outcome = run(rule, bindings);
      expect(typeof outcome, String(outcome)).toBe("boolean");
      return outcome === true ? [] : [message];
    },
  );
}

async function specOf(file: string, index: number): Promise<unknown> {
  return valueAt((await manifest(file))[index], "spec");
}

describe("rules that stand in for Cluster API's admission", () => {
  it.each([
    ["self-managed.yaml", 0, "clusters"],
    ["managed.yaml", 0, "clusters"],
    ["topology.yaml", 0, "clusters"],
    ["self-managed.yaml", 1, "machinepools"],
    ["managed.yaml", 1, "machinepools"],
  ])("accept the spec in %s, document %i", async (file, index, plural) => {
    const spec = await specOf(file, index);
    expect(await refusals(plural, "spec", spec, spec)).toEqual([]);
  });

  it.each([
    [
      "nothing to build on",
      { paused: true },
      undefined,
      ["infrastructureRef, controlPlaneRef or topology must be set"],
    ],
    [
      "the removal of a reference",
      { infrastructureRef: {} },
      { infrastructureRef: {}, controlPlaneRef: {} },
      ["controlPlaneRef must not be removed"],
    ],
    [
      "the removal of the topology",
      { infrastructureRef: {} },
      { infrastructureRef: {}, topology: {} },
      ["topology must not be removed"],
    ],
  ])("refuse a Cluster with %s", async (...[, spec, old, messages]) => {
    expect(await refusals("clusters", "spec", spec, old)).toEqual(messages);
  });

  it("refuse a Cluster whose name is not a label value", async () => {
    expect(await refusals("clusters", "", { metadata: { name: "a".repeat(63) } })).toEqual([]);
    expect(await refusals("clusters", "", { metadata: { name: "a".repeat(64) } })).toHaveLength(1);
  });

  it("refuse a MachinePool that moves to another Cluster", async () => {
    expect(await refusals("machinepools", "spec.clusterName", "c2", "c1")).toEqual([
      "clusterName is immutable",
    ]);
    expect(await refusals("machinepools", "spec.clusterName", "c1", "c1")).toEqual([]);
  });

  it("refuse a MachinePool whose template names another Cluster", async () => {
    const spec = changed(await specOf("managed.yaml", 1), "template/spec/clusterName", "other");
    expect(await refusals("machinepools", "spec", spec)).toEqual([
      "clusterName and template.spec.clusterName must be the same",
    ]);
  });

  it.each([
    ["an empty Secret name", { dataSecretName: "" }, 0],
    ["neither config nor Secret", {}, 1],
  ])("judge bootstrap of %s", async (_, bootstrap, expected) => {
    for (const [plural, node] of [
      ["machines", "spec.bootstrap"],
      ["machinesets", "spec.template.spec.bootstrap"],
      ["machinepools", "spec.template.spec.bootstrap"],
    ] as const)
      expect(await refusals(plural, node, bootstrap)).toHaveLength(expected);
  });

  it("refuse a MachinePool with taints", async () => {
    expect(await refusals("machinepools", "spec.template.spec", { taints: [{}] })).toHaveLength(1);
  });

  it.each([
    ["v1.34.2", 0],
    ["1.34.2-rc.1+k3s1", 0],
    ["v1.34.2-0.a-b", 0],
    ["v1.34", 1],
    ["1.x", 1],
    ["v01.34.2", 1],
    ["v1.34.2-01", 1],
    ["v1.34.2+", 1],
    ["v1.34.2 ", 1],
  ])("judge the version %s of Machines", async (version, expected) => {
    for (const [plural, node] of [
      ["machines", "spec.version"],
      ["machinepools", "spec.template.spec.version"],
      ["clusters", "spec.topology.version"],
    ] as const)
      expect(await refusals(plural, node, version)).toHaveLength(expected);
  });

  it.each([
    ["negative replicas", "spec.replicas", -1, ["replicas must not be negative"]],
    ["no replicas", "spec.replicas", 0, []],
    ["names without random", "spec.machineNaming.template", "a", ["template must contain {{ .random }}"]],
    ["names with random", "spec.machineNaming.template", "a-{{ .random }}", []],
  ])("judge a MachineSet with %s", async (...[, node, value, messages]) => {
    expect(await refusals("machinesets", node, value)).toEqual(messages);
  });

  it.each([
    ["the labels of the template", { matchLabels: { a: "b" } }, { labels: { a: "b", c: "d" } }, 0],
    ["none", {}, undefined, 0],
    ["none in matchLabels", { matchLabels: {} }, undefined, 0],
    ["another value", { matchLabels: { a: "b" } }, { labels: { a: "x" } }, 1],
    ["another label", { matchLabels: { a: "b" } }, { labels: { c: "d" } }, 1],
    ["labels of a template that has none", { matchLabels: { a: "b" } }, { annotations: {} }, 1],
  ])("judge a MachineSet whose selector has %s", async (...[, selector, metadata, expected]) => {
    const template = { ...(metadata === undefined ? {} : { metadata }), spec: { clusterName: "c1" } };
    const spec = { clusterName: "c1", selector, template };
    expect(await refusals("machinesets", "spec", spec)).toHaveLength(expected);
  });

  it.each([
    ["node.cluster.x-k8s.io/uninitialized", 1],
    ["node.cluster.x-k8s.io/outdated-revision", 1],
    ["node-role.kubernetes.io/master", 1],
    ["node.cloudprovider.kubernetes.io/shutdown", 1],
    ["node.kubernetes.io/not-ready", 1],
    ["node.kubernetes.io/out-of-service", 0],
    ["example.com/gpu", 0],
  ])("judge the taint %s of Machines", async (key, expected) => {
    expect(await refusals("machines", "spec.taints", [{ key }])).toHaveLength(expected);
    expect(await refusals("machinesets", "spec.template.spec.taints", [{ key }])).toHaveLength(expected);
  });

  it.each([
    [{ behavior: "Drain", order: 3 }, []],
    [{ behavior: "Skip" }, []],
    [{ behavior: "Skip", order: 0 }, ["order can only be set when behavior is Drain"]],
  ])("judge what a MachineDrainRule says about draining: %j", async (drain, expected) => {
    expect(await refusals("machinedrainrules", "spec.drain", drain)).toEqual(expected);
  });

  it("refuse a MachineDrainRule that says the same twice", async () => {
    const entry = { selector: { matchLabels: { a: "b" } } };
    const other = { namespaceSelector: { matchLabels: { a: "b" } } };
    expect(await refusals("machinedrainrules", "spec.pods", [entry, other])).toEqual([]);
    expect(await refusals("machinedrainrules", "spec.pods", [entry, entry])).toEqual([
      "entries in pods must be unique",
    ]);
  });
});
