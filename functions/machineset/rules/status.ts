import type { MachineSetStatus } from "../../../shared/api/machineset.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { done, requeueAfter, soonest, waitFor } from "../../../shared/function/result.ts";
import { setConditions } from "../../../shared/rules/conditions/conditions.ts";
import { upToDateExpiresInMs } from "../../../shared/rules/machines/machine-conditions.ts";
import { staleExpiresInMs } from "../../../shared/rules/machines/stale-machines.ts";
import { selectorTextOf } from "../../../shared/rules/metadata/label-selector.ts";
import { present } from "../../../shared/rules/status/present.ts";
import type { StatusReport } from "../../../shared/rules/status/report.ts";
import { setConditionsOf } from "./conditions.ts";
import { deprecatedCounters, setCounters } from "./counters.ts";
import { setDeprecatedConditionsOf } from "./deprecated-conditions.ts";
import { selectorOf, setProblem } from "./problems.ts";
import type { StatusView } from "./view.ts";

/** Returns what is said about a set that is not paused, whether it lives or is being deleted. */
export function setReport(view: StatusView): StatusReport<MachineSetStatus> {
  const { set, machines, now } = view;
  const timers = [
    [upToDateExpiresInMs(machines, now), "a Machine may still report UpToDate"],
    [staleExpiresInMs(machines, now), "the deletion of a Machine takes long"],
  ] as const;
  return {
    status: setStatus(view),
    events: [],
    result: [
      isDeleting(set) ? waitFor("Machine.metadata.uid") : awaited(view),
      ...timers.map(([ms, why]) => (ms === undefined ? done : requeueAfter(ms, why))),
    ].reduce(soonest),
  };
}

function awaited({ set, machines, blockers }: StatusView) {
  if (setProblem(set) !== undefined) return waitFor("MachineSet.spec");
  if (machines.length >= (set.spec.replicas ?? 0)) return done;
  return blockers.length === 0
    ? waitFor("Machine.metadata.uid")
    : waitFor(`MachineSet: ${blockers.join("; ")}`);
}

/** Returns the complete status: what has no new value is carried on, so that no apply loses a field. */
function setStatus(view: StatusView): MachineSetStatus {
  const { set, now, settled } = view;
  const { status: previous } = set;
  const { generation } = set.metadata;
  const counters = setCounters(view);
  const { versions: _, ...rest } = previous ?? {};
  return {
    ...rest,
    ...present("selector", selectorTextOf(selectorOf(set))),
    ...counters,
    conditions: setConditions(previous?.conditions, setConditionsOf(view), now, generation),
    ...present("observedGeneration", settled ? generation : previous?.observedGeneration),
    deprecated: {
      v1beta1: {
        ...previous?.deprecated?.v1beta1,
        ...deprecatedCounters(view),
        conditions: setDeprecatedConditionsOf(view, counters.readyReplicas ?? 0),
      },
    },
  };
}
