import { describe, expect, it } from "vitest";
import { missingDependency } from "../../../../../../infra/playground/functions/sim/rules/fleet.ts";
import { cluster, machinePool } from "../../../../../support/builders.ts";
import { simMachinePool } from "../../../../../support/sim.ts";

describe("before its first instance a simulated pool waits for", () => {
  const bare = machinePool({ spec: { replicas: undefined } });

  it("nothing that an empty data secret name or its own autoscaler replaces", () => {
    const managed = machinePool({
      metadata: { annotations: { "cluster.x-k8s.io/replicas-managed-by": "" } },
      spec: { replicas: undefined, template: { spec: { bootstrap: { dataSecretName: "" } } } },
    });
    expect(missingDependency(simMachinePool({ spec: { replicas: 2 } }), managed, cluster())).toBeUndefined();
  });

  it("the Cluster's infrastructure and the number of replicas", () => {
    expect(missingDependency(simMachinePool(), bare, undefined)).toBe(
      "Cluster.status.initialization.infrastructureProvisioned",
    );
    expect(missingDependency(simMachinePool(), bare, cluster())).toBe("MachinePool.spec.replicas");
  });
});
