import { Machine, MachineHealthCheck, Node } from "../../shared/api/entry.ts";
import { RemediationRequest } from "../../shared/contract/entry.ts";
import {
  defineFunction,
  done,
  hasCluster,
  SECOND,
  turn,
  unpaused,
} from "../../shared/function/define-function.ts";
import { REFUSED_FIELDS } from "../../shared/rules/entry.ts";
import { binding } from "./rules/binding.ts";
import { isScene, readScene, unseen } from "./rules/reads.ts";
import { decideRequests, MARK } from "./rules/requests.ts";
import { REQUEST_READS, REQUEST_WATCHES } from "./rules/watches.ts";

export const mhcRequests = defineFunction(
  {
    name: "mhc-requests",
    summary: "Keeps one request per Machine handed to an external controller, none for a healthy one.",
    source: "core/reconcilers/machinehealthcheck/machinehealthcheck_controller.go",
    reconciles: MachineHealthCheck,
    when: [hasCluster, unpaused],
    isIdle: ({ spec }) => spec.remediation?.templateRef === undefined,
    watches: [REQUEST_WATCHES, binding.watches],
    reads: REQUEST_READS,
    readsLive: [Node],
    ownsOn: [
      { kind: Machine, fields: [MARK] },
      binding.writes,
      { kind: MachineHealthCheck, fields: REFUSED_FIELDS },
    ],
    inTurnWith: [
      turn(
        "mhc-machines",
        Machine,
        MARK,
        "mhc-machines writes it where it is absent or True, this function where it is False",
      ),
      turn("mhc-machines", binding.writes.kind, "status", binding.writes.reason),
      turn(
        "machine-status",
        Machine,
        "status",
        "machine-status applies its own conditions only, never this one",
      ),
      turn(
        "machine-drain",
        Machine,
        "status",
        "machine-drain applies the condition Deleting and its own start times only",
      ),
    ],
    calls: [
      { verb: "create", kind: RemediationRequest, limited: true },
      { verb: "delete", kind: RemediationRequest },
    ],
    queue: { concurrency: 20, maxRunningPerTenant: 5, settleMs: 20, freshMs: 5 * SECOND },
  },
  async (check, { read, now, cluster }) => {
    if (check.spec.remediation?.templateRef === undefined) return { result: done };
    const scene = await readScene(read, check, cluster);
    return isScene(scene) ? decideRequests({ read, now }, scene) : { result: unseen(scene) };
  },
);
