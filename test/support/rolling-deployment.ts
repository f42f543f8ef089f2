import type { Machine } from "../../shared/api/machine/machine.ts";
import type { MachineDeployment } from "../../shared/api/machinedeployment.ts";
import { isAvailable, type RolloutFacts } from "../../shared/rules/rollout/standstill.ts";
import { machineCondition, merge, type Overrides } from "./builders.ts";
import { machineDeployment, setOfDeployment } from "./foo-deployments.ts";
import { setMachine } from "./foo-sets.ts";
import { NOW } from "./world.ts";

/** The set of `rollingFacts`, with Machines m1, m2, … */
export const ROLLED_SET = "d1-first";

interface Rolling {
  readonly deployment?: Overrides<MachineDeployment>;
  /** Changes the last Machine. */
  readonly machine?: Overrides<Machine>;
  /** Machines that are wanted and there. Default 3. */
  readonly count?: number;
}

/** A deployment whose version has just been changed: its Machines are available and of the former one. */
export function rollingFacts({ deployment = {}, machine = {}, count = 3 }: Rolling): RolloutFacts {
  const set = setOfDeployment(ROLLED_SET, {
    metadata: { annotations: { "machinedeployment.clusters.x-k8s.io/revision": "1" } },
    spec: { replicas: count },
  });
  const controller = {
    apiVersion: set.apiVersion,
    kind: set.kind,
    name: ROLLED_SET,
    uid: `uid-${ROLLED_SET}`,
  };
  const machines = Array.from({ length: count }, (_, at) =>
    merge<Machine>(
      setMachine(`m${at + 1}`, {
        metadata: { ownerReferences: [{ ...controller, controller: true }] },
        status: { conditions: [machineCondition("Available", "True", "Available")] },
      }),
      at === count - 1 ? machine : {},
    ),
  );
  const available = machines.filter(isAvailable).length;
  const counts = { replicas: count, availableReplicas: available, upToDateReplicas: count };
  const changed = machineDeployment({
    spec: { replicas: count, template: { spec: { version: "v1.35.0" } } },
  });
  return {
    deployment: merge<MachineDeployment>(changed, deployment),
    sets: [{ ...set, status: { ...counts, observedGeneration: set.metadata.generation } }],
    machines,
    now: NOW,
  };
}
