import type { SimInstance } from "../../infra/playground/api/sim-cloud.ts";
import type { SimMachine } from "../../infra/playground/api/sim-machine.ts";
import type { SimMachinePool } from "../../infra/playground/api/sim-machinepool.ts";
import type { SimRemediation } from "../../infra/playground/api/sim-remediation.ts";
import { merge, type Overrides, OWNED_BY_P1 } from "./builders.ts";

const OWNED_BY_SIM_POOL = {
  apiVersion: "infrastructure.sim.capstan.dev/v1beta2",
  kind: "SimMachinePool",
  name: "p1-infra",
  uid: "uid-infra",
};
const POOL = { "infrastructure.sim.capstan.dev/pool-name": "p1-infra" };

/** SimMachinePool `default/p1-infra` of pool p1, with its finalizer, adopted; nothing is listed or reported yet. */
export function simMachinePool(overrides: Overrides<SimMachinePool> = {}): SimMachinePool {
  return merge<SimMachinePool>(
    {
      apiVersion: "infrastructure.sim.capstan.dev/v1beta2",
      kind: "SimMachinePool",
      metadata: {
        name: "p1-infra",
        namespace: "default",
        uid: "uid-infra",
        resourceVersion: "40",
        generation: 1,
        creationTimestamp: "2026-01-01T00:00:00Z",
        labels: { "cluster.x-k8s.io/cluster-name": "c1" },
        finalizers: ["simmachinepool.infrastructure.sim.capstan.dev"],
        ownerReferences: [OWNED_BY_P1],
      },
      spec: { bootDelaySeconds: 2, nodeReadyDelaySeconds: 3 },
    },
    overrides,
  );
}

/** A running instance of that pool with provider ID sim://<name>. */
export function simInstance(name: string, overrides: Overrides<SimInstance> = {}): SimInstance {
  return merge<SimInstance>(
    {
      apiVersion: "cloud.sim.capstan.dev/v1beta1",
      kind: "SimInstance",
      metadata: {
        name,
        namespace: "default",
        uid: `uid-${name}`,
        resourceVersion: "50",
        labels: POOL,
        ownerReferences: [{ ...OWNED_BY_SIM_POOL, controller: true }],
      },
      spec: {
        clusterName: "c1",
        providerID: `sim://${name}`,
        bootDelaySeconds: 2,
        nodeReadyDelaySeconds: 3,
      },
      status: { phase: "Running" },
    },
    overrides,
  );
}

/** The SimMachine of the instance of that name. */
export function simMachine(name: string, overrides: Overrides<SimMachine> = {}): SimMachine {
  return merge<SimMachine>(
    {
      apiVersion: "infrastructure.sim.capstan.dev/v1beta2",
      kind: "SimMachine",
      metadata: {
        name,
        namespace: "default",
        uid: `uid-sim-${name}`,
        resourceVersion: "55",
        generation: 1,
        finalizers: ["simmachine.infrastructure.sim.capstan.dev"],
        labels: {
          ...POOL,
          "cluster.x-k8s.io/cluster-name": "c1",
          "cluster.x-k8s.io/pool-name": "p1",
        },
        ownerReferences: [OWNED_BY_SIM_POOL],
      },
      spec: { providerID: `sim://${name}` },
    },
    overrides,
  );
}

/** The request to repair Machine `default/<machine>`, with its finalizer; nothing has begun. */
export function simRemediation(machine: string, overrides: Overrides<SimRemediation> = {}): SimRemediation {
  return merge<SimRemediation>(
    {
      apiVersion: "infrastructure.sim.capstan.dev/v1beta2",
      kind: "SimRemediation",
      metadata: {
        name: machine,
        namespace: "default",
        uid: `uid-request-${machine}`,
        resourceVersion: "60",
        creationTimestamp: "2026-01-01T10:00:00Z",
        labels: { "cluster.x-k8s.io/cluster-name": "c1" },
        finalizers: ["simremediation.infrastructure.sim.capstan.dev"],
        ownerReferences: [
          { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", name: machine, uid: `uid-${machine}` },
        ],
      },
      spec: {
        strategy: "Reboot",
        delaySeconds: 2,
        timeoutSeconds: 60,
        retryLimit: 1,
        outcome: "Recovers",
        gaveUpIn: "Both",
      },
    },
    overrides,
  );
}
