import { Machine, MachineHealthCheck, Node } from "../../shared/api/entry.ts";
import { RemediationRequest } from "../../shared/contract/entry.ts";
import {
  checksOfNamesake,
  defineFunction,
  hasCluster,
  SECOND,
  turn,
  unpaused,
  watchContract,
} from "../../shared/function/define-function.ts";
import { MARK_FIELDS } from "../../shared/rules/entry.ts";
import { binding } from "./rules/binding.ts";
import { decideMachines } from "./rules/machines.ts";
import { isScene, readScene, unseen } from "./rules/reads.ts";
import { reportCheck } from "./rules/report.ts";
import { BY_OWNER, STATED_FIELDS } from "./rules/statements.ts";
import { SCENE_WATCHES } from "./rules/watches.ts";

export const mhcMachines = defineFunction(
  {
    name: "mhc-machines",
    summary: "Sets on each Machine whether it is healthy, and hands unhealthy ones over within the limit.",
    source: "core/reconcilers/machinehealthcheck/machinehealthcheck_targets.go",
    reconciles: MachineHealthCheck,
    when: [hasCluster, unpaused],
    watches: [
      SCENE_WATCHES,
      watchContract(RemediationRequest, ["metadata.uid", ...binding.requestFields], checksOfNamesake),
      binding.watches,
    ],
    ownsOn: [binding.writes, { kind: Machine, fields: STATED_FIELDS }],
    inTurnWith: [
      turn(["machineset-remediate", "machinepool-remediate"], Machine, MARK_FIELDS, BY_OWNER),
      turn(
        "machine-status",
        Machine,
        "status",
        "machine-status applies its own conditions only, and the list of deprecated ones as it was read, with its own in it",
      ),
      turn(
        "machine-drain",
        Machine,
        "status",
        "machine-drain applies the condition Deleting and its own start times, nothing else",
      ),
    ],
    // A JSON patch counts in the list: snapshots must have all of it.
    reads: [
      { on: Machine, fields: ["status.deprecated.v1beta1.conditions"] },
      // Only its report is made from this.
      { on: MachineHealthCheck, fields: ["status.conditions[RemediationAllowed]"] },
    ],
    readsLive: [Node],
    queue: { concurrency: 20, maxRunningPerTenant: 5, settleMs: 20, freshMs: 5 * SECOND },
  },
  async (check, { read, now, cluster }) => {
    const scene = await readScene(read, check, cluster);
    return isScene(scene) ? decideMachines({ read, now }, scene) : { result: unseen(scene) };
  },
  reportCheck,
);
