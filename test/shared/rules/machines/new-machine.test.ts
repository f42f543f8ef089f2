import { describe, expect, it } from "vitest";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { newMachine } from "../../../../shared/rules/machines/new-machine.ts";
import { machineSet, OWNED_BY_S1 } from "../../../support/foo-sets.ts";

const { spec } = machineSet().spec.template;
const DESIGN = {
  namespace: "default",
  controller: OWNED_BY_S1,
  metadata: { labels: { tier: "a" }, annotations: { note: "b" } },
  keys: ["tier", "note"],
  spec,
};

describe("a new Machine", () => {
  it("is born with finalizer, controller, tracker and default, and names the clones of its templates", () => {
    const { object } = newMachine("s1-x", DESIGN);
    expect(Machine.schema?.().safeParse(object).success).toBe(true);
    expect(object).toMatchObject({
      metadata: {
        name: "s1-x",
        namespace: "default",
        labels: { tier: "a" },
        annotations: { note: "b", "capstan.dev/keys-from-template": "note,tier" },
        finalizers: ["machine.cluster.x-k8s.io"],
        ownerReferences: [OWNED_BY_S1],
      },
      spec: {
        clusterName: "c1",
        bootstrap: { configRef: { kind: "FooConfig", name: "s1-x" } },
        infrastructureRef: { kind: "FooMachine", name: "s1-x" },
        deletion: { nodeDeletionTimeoutSeconds: 10 },
      },
    });
  });

  it("keeps the Secret and the timeouts of its template", () => {
    const deletion = { nodeDeletionTimeoutSeconds: 0, nodeDrainTimeoutSeconds: 7 };
    const { object } = newMachine("s1-x", {
      ...DESIGN,
      metadata: { labels: {}, annotations: {} },
      keys: [],
      spec: { ...spec, bootstrap: { dataSecretName: "given" }, deletion },
    });
    expect(object.metadata.annotations).toBeUndefined();
    expect(object).toMatchObject({ spec: { bootstrap: { dataSecretName: "given" }, deletion } });
  });

  it.each(["1.34.2", "v1.34.2"])("has the version %s of its template with v", (version) => {
    const { object } = newMachine("s1-x", { ...DESIGN, spec: { ...spec, version } });
    expect(object).toMatchObject({ spec: { version: "v1.34.2" } });
  });
});
