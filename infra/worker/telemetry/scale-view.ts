import { DEFAULT_QUEUE, SECOND } from "../../../shared/function/backoff.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import { GROUPS, type Group, groupOf } from "../../../shared/function/groups.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { Queue, QueueDepth } from "../../../shared/runtime/queue/queue-port.ts";
import { wanted } from "../../queue/wanted.ts";
import type { Metrics } from "./metrics.ts";

/** The workers that functions want now, for autoscalers: by group, and of each function by itself. */
export interface ScaleView {
  /** Those with a function of this process. */
  readonly groups: readonly Group[];
  /**
   * Returns the workers of a group or of one function; undefined for another name. Rejects when the queue does not answer
   * for a function of it: it must never look like 0.
   */
  workers(name: string): Promise<number> | undefined;
}

/** Asks the queue for the functions of one name only: autoscalers ask often. */
export function viewScale(queue: Queue, functions: readonly AnyFunction[], clock: Clock): ScaleView {
  const groups = groupsOf(functions);
  const members = new Map<string, readonly AnyFunction[]>([
    ...functions.map((each) => [each.spec.name, [each]] as const),
    ...groups,
  ]);
  const views = new Map(
    [...members].map(([name, own]) => {
      const names = own.map(({ spec }) => spec.name);
      return [name, viewQueue(queue, names, clock)];
    }),
  );
  return {
    groups: groups.map(([group]) => group),
    workers(name) {
      const [own, view] = [members.get(name), views.get(name)];
      return own && view?.depths().then((depths) => workersFor(own, depths));
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

interface FunctionDepth {
  readonly functionName: string;
  /** Undefined when the queue did not answer in time. */
  readonly depth: QueueDepth | undefined;
  readonly error: string | undefined;
}

export interface QueueView {
  /** Depths of every function, in their order; never rejects. Calls at the same time share one reading. */
  depths(): Promise<readonly FunctionDepth[]>;
}

/** The time for an answer, below the usual time limits of a scrape (10 s) and of a probe (several tries). */
const ANSWER_WITHIN_MS = 2 * SECOND;

/** Reads the queue for people and probes, which must get an answer even when the queue does not. */
export function viewQueue(queue: Queue, functions: readonly string[], clock: Clock): QueueView {
  const look = async (functionName: string): Promise<FunctionDepth> => {
    try {
      const depth = await answerWithin(ANSWER_WITHIN_MS, clock, () => queue.depth(functionName));
      return { functionName, depth, error: undefined };
    } catch (error) {
      const message = messageOf(error);
      return { functionName, depth: undefined, error: message };
    }
  };
  let looking: Promise<readonly FunctionDepth[]> | undefined;
  return {
    depths: () => {
      looking ??= Promise.all(functions.map(look)).finally(() => {
        looking = undefined;
      });
      return looking;
    },
  };
}

/** Rejects when `ask` has not answered after `limitMs`; its late answer is dropped. */
export async function answerWithin<T>(limitMs: number, clock: Clock, ask: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(limitMs, () => late.reject(new Error(`no answer within ${limitMs / SECOND} s`)));
  try {
    return await Promise.race([ask(), late.promise]);
  } finally {
    cancel();
  }
}
