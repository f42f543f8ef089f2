import { describe, expect, it } from "vitest";
import { SimControlPlane } from "../../../../infra/playground/api/sim-controlplane.ts";
import { SimMachinePool, SimMachinePoolTemplate } from "../../../../infra/playground/api/sim-machinepool.ts";
import type { Kind } from "../../../../shared/api/kinds.ts";
import { ALL_KINDS } from "../../../support/all-kinds.ts";

/** Those that have a status: a template has none, and follows the kind that it is a template of. */
const PROVIDER_KINDS = ALL_KINDS.filter(
  ({ group, crd }) =>
    /^(?:infrastructure|controlplane|bootstrap)\.sim\.capstan\.dev$/.test(group) && crd?.status !== false,
);

function bare(kind: Kind, spec?: object): object {
  return {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name: "a", namespace: "default" },
    ...(spec === undefined ? {} : { spec }),
  };
}

describe("simulated provider kinds", () => {
  it("are more than one", () => {
    expect(PROVIDER_KINDS.length).toBeGreaterThan(4);
  });

  it.each(PROVIDER_KINDS)("$kind says in its CRD that it follows one contract", ({ crd, version }) => {
    expect(crd?.labels).toEqual({ [`cluster.x-k8s.io/${version}`]: version });
    expect(crd?.categories).toEqual(["cluster-api"]);
  });

  it.each(PROVIDER_KINDS)("$kind needs no spec", (kind) => {
    expect(kind.schema?.().parse(bare(kind))).toHaveProperty("spec");
  });

  it("a SimMachinePool boots its instances within a second by default", () => {
    expect(SimMachinePool.schema?.().parse(bare(SimMachinePool)).spec).toEqual({
      bootDelaySeconds: 1,
      nodeReadyDelaySeconds: 1,
    });
  });

  it("a SimControlPlane has one replica by default", () => {
    expect(SimControlPlane.schema?.().parse(bare(SimControlPlane)).spec.replicas).toBe(1);
  });

  it("a negative delay is refused", () => {
    expect(SimMachinePool.schema?.().safeParse(bare(SimMachinePool, { bootDelaySeconds: -1 })).success).toBe(
      false,
    );
  });

  it("a pool may report values that no MachinePool accepts", () => {
    const faults = { providerIDList: ["", "x".repeat(600)], replicas: 7, notReadyAfterSeconds: 3 };
    expect(SimMachinePool.schema?.().safeParse(bare(SimMachinePool, { faults })).success).toBe(true);
    expect(
      SimMachinePool.schema?.().safeParse(bare(SimMachinePool, { faults: { replicas: -1 } })).success,
    ).toBe(false);
  });

  it("a template says what a pool's spec says, has no status and the label of the same contract", () => {
    const { crd, schema } = SimMachinePoolTemplate;
    expect(crd).toMatchObject({ status: false, labels: SimMachinePool.crd?.labels });
    const template = { metadata: { labels: { a: "b" } }, spec: { machines: true } };
    expect(schema?.().parse(bare(SimMachinePoolTemplate, { template })).spec.template.spec).toMatchObject({
      machines: true,
      bootDelaySeconds: 1,
    });
    expect(schema?.().safeParse(bare(SimMachinePoolTemplate, {})).success).toBe(false);
  });
});
