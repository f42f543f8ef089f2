import { describe, expect, it } from "vitest";
import type { Kind } from "../../../shared/api/kinds.ts";
import {
  SimBootstrapConfig,
  SimCluster,
  SimControlPlane,
  SimInstance,
  SimMachinePool,
  SimServer,
} from "../../../shared/api/sim.ts";

const PROVIDER_KINDS: readonly Kind[] = [SimCluster, SimMachinePool, SimControlPlane, SimBootstrapConfig];

function bare(kind: Kind, spec?: object): object {
  return {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name: "a", namespace: "default" },
    ...(spec === undefined ? {} : { spec }),
  };
}

describe("simulated provider kinds", () => {
  it.each(PROVIDER_KINDS)("$kind says in its CRD that it follows the contract v1beta2", ({ crd }) => {
    expect(crd?.labels).toEqual({ "cluster.x-k8s.io/v1beta2": "v1beta2" });
    expect(crd?.categories).toEqual(["cluster-api"]);
  });

  it.each(PROVIDER_KINDS)("$kind needs no spec", (kind) => {
    expect(kind.schema?.parse(bare(kind))).toHaveProperty("spec");
  });

  it("a SimMachinePool boots its instances within a second by default", () => {
    expect(SimMachinePool.schema?.parse(bare(SimMachinePool)).spec).toEqual({
      bootDelaySeconds: 1,
      nodeReadyDelaySeconds: 1,
    });
  });

  it("a SimControlPlane has one replica by default", () => {
    expect(SimControlPlane.schema?.parse(bare(SimControlPlane)).spec.replicas).toBe(1);
  });

  it("a negative delay is refused", () => {
    expect(SimMachinePool.schema?.safeParse(bare(SimMachinePool, { bootDelaySeconds: -1 })).success).toBe(
      false,
    );
  });
});

describe("simulated cloud kinds", () => {
  it.each<Kind>([SimServer, SimInstance])("$kind belongs to a Cluster and follows no contract", (kind) => {
    expect(kind.clusterNamePath).toBe("spec.clusterName");
    expect(kind.crd?.labels).toBeUndefined();
    expect(kind.schema?.safeParse(bare(kind, {})).success).toBe(false);
    expect(kind.schema?.safeParse(bare(kind, { clusterName: "c1" })).success).toBe(true);
  });

  it("a SimInstance has one of three phases", () => {
    const object = { ...bare(SimInstance, { clusterName: "c1" }), status: { phase: "Rebooting" } };
    expect(SimInstance.schema?.safeParse(object).success).toBe(false);
  });
});
