import { MACHINE_FINALIZER, Machine, refTo } from "../../shared/api/entry.ts";
import { BootstrapConfig, InfraMachine } from "../../shared/contract/entry.ts";
import {
  defineFunction,
  done,
  itself,
  turn,
  waitFor,
  watch,
  watchReferenced,
  workable,
} from "../../shared/function/define-function.ts";
import { BOOTSTRAP_FIELDS, OWN_FIELDS, REFERENCE_FIELDS } from "../../shared/rules/entry.ts";
import { DATA_SECRET_NAME } from "./rules/bootstrap.ts";
import { INFRASTRUCTURE_FIELDS } from "./rules/infrastructure.ts";
import { readProviders } from "./rules/reads.ts";
import { COPIED_FIELDS, desiredMachineSpec, machineSpecAwaits, machineSpecPatch } from "./rules/spec.ts";

export const machineSync = defineFunction(
  {
    name: "machine-sync",
    summary: "Copies bootstrap data secret name, provider ID and failure domain into a Machine.",
    source: "core/reconcilers/machine/machine_controller_phases.go",
    reconciles: Machine,
    actsOn: "living",
    when: workable(MACHINE_FINALIZER),
    settles: true,
    watches: [
      watch(Machine, ["metadata.uid", ...REFERENCE_FIELDS, ...COPIED_FIELDS], itself),
      watchReferenced(
        [BootstrapConfig, [...OWN_FIELDS, ...BOOTSTRAP_FIELDS]],
        [InfraMachine, [...OWN_FIELDS, ...INFRASTRUCTURE_FIELDS]],
      ),
    ],
    // When the latch comes, what it keeps has been copied.
    reads: [{ on: Machine, fields: ["status.initialization.infrastructureProvisioned"] }],
    ownsOn: [{ kind: Machine, fields: COPIED_FIELDS }],
    inTurnWith: [
      turn(
        "machinepool-machines",
        Machine,
        DATA_SECRET_NAME,
        "a pool's Machine has no configRef, so that this function has no name for it",
      ),
    ],
    contested: [DATA_SECRET_NAME],
    // adopt's two writes, and what a provider says of its two objects, come within this time.
    queue: { settleMs: 80 },
  },
  async (machine, { read }) => {
    const providers = await readProviders(read, machine);
    const desired = desiredMachineSpec(machine, providers);
    const awaits = machineSpecAwaits(machine, providers);
    return {
      patch: [{ target: refTo(Machine, machine), operations: machineSpecPatch(machine, desired) }],
      result: awaits === undefined ? done : waitFor(awaits),
    };
  },
);
