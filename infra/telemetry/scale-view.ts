import { DEFAULT_QUEUE } from "../../shared/function/backoff.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import { GROUPS, type Group, groupOf } from "../../shared/function/groups.ts";
import type { Clock } from "../../shared/runtime/ports.ts";
import type { Queue } from "../../shared/runtime/queue-port.ts";
import { wanted } from "../queue/wanted.ts";
import type { Metrics } from "./metrics.ts";
import { type FunctionDepth, type QueueView, viewQueue } from "./queue-view.ts";

/** The workers that groups of functions want now, for autoscalers. */
export interface ScaleView {
  /** Those with a function of this process. */
  readonly groups: readonly Group[];
  /** Rejects when the queue does not answer for a function of the group: it must never look like 0. */
  workers(group: Group): Promise<number>;
}

/** Asks the queue for the functions of one group only: autoscalers ask often. */
export function viewScale(queue: Queue, functions: readonly AnyFunction[], clock: Clock): ScaleView {
  const asked = new Map<Group, () => Promise<number>>();
  for (const [group, members] of groupsOf(functions)) {
    const names = members.map(({ spec }) => spec.name);
    const view = viewQueue(queue, names, clock);
    asked.set(group, async () => workersFor(members, await view.depths()));
  }
  return {
    groups: [...asked.keys()],
    workers: async (group) => {
      const workers = await asked.get(group)?.();
      if (workers === undefined) throw new Error(`no function belongs to group ${group}`);
      return workers;
    },
  };
}

/** Shows the workers of every group at each scrape; a group whose queue does not answer is left out. */
export function meterScale(view: QueueView, functions: readonly AnyFunction[], metrics: Metrics): void {
  const groups = groupsOf(functions);
  metrics.onScrape(async () => {
    const depths = await view.depths();
    metrics.clear("capstan_scale_workers");
    for (const [group, members] of groups) {
      try {
        metrics.set("capstan_scale_workers", { group }, workersFor(members, depths));
      } catch {
        // Not known; capstan_queue_reachable says so.
      }
    }
  });
}

/** Throws when the depth of a function is not known. */
function workersFor(functions: readonly AnyFunction[], depths: readonly FunctionDepth[]): number {
  const loads = functions.map(({ spec: { name, queue } }) => {
    const { depth, error = "no answer" } = depths.find(({ functionName }) => functionName === name) ?? {};
    if (depth === undefined) throw new Error(`queue of ${name}: ${error}`);
    return { ...DEFAULT_QUEUE, ...queue, depth };
  });
  return wanted(loads);
}

/** The functions of each group that has one, in the order of GROUPS. */
function groupsOf(functions: readonly AnyFunction[]): readonly (readonly [Group, readonly AnyFunction[]])[] {
  const members = Map.groupBy(functions, ({ spec }) => groupOf(spec));
  return GROUPS.flatMap((group) => {
    const its = members.get(group);
    return its === undefined ? [] : [[group, its] as const];
  });
}
