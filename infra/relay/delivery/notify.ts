import { MANAGEMENT, titleOf } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { AnyFunction, Lookup } from "../../../shared/function/define-function.ts";
import type { Clock, Log, Store } from "../../../shared/runtime/ports.ts";
import type { Cause, Priority, Queue, QueueEntry } from "../../../shared/runtime/queue/queue-port.ts";
import { type Change, routeChange } from "../../../shared/runtime/queue/route.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { storeLookup } from "../../../shared/runtime/read/store-lookup.ts";
import { cachedAnswers } from "../../platform/cached-answers.ts";
import { rest } from "../../platform/rest.ts";
import { untilAccepted } from "../retry.ts";
import { typeText } from "./handed-on.ts";
import type { TracedEvent, TraceEvent } from "./trace-event.ts";
import type { WatchFilter } from "./watch-filter.ts";

interface NotifyOptions {
  readonly functions: readonly AnyFunction[];
  readonly store: Store;
  readonly queue: Pick<Queue, "enqueue">;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly filter: WatchFilter;
  /** Traces an event; absent where nothing is traced. */
  readonly traceEvent?: TraceEvent | undefined;
}

/**
 * Enqueues the keys that stored changes concern, those of one function by one call, in the order of the changes. Waits
 * until the queue has accepted all of them; rejects only when the signal aborts.
 */
export type Notify = (changes: readonly Change[], priority: Priority) => Promise<void>;

interface FunctionEntry {
  readonly functionName: string;
  readonly entry: QueueEntry;
}

export function createNotify(options: NotifyOptions): Notify {
  const { functions, store, queue, filter, traceEvent } = options;
  const settleMs = new Map(functions.map(({ spec }) => [spec.name, spec.queue?.settleMs ?? 0]));
  const lookup = storeLookup(store);
  const listedLookup = lookupOfListed(options);
  const accepted = <T>(work: () => Promise<T>): Promise<T> => untilAccepted(work, options);

  const entriesOf = async (
    change: Change,
    priority: Priority,
    traced: TracedEvent | undefined,
  ): Promise<readonly FunctionEntry[]> => {
    // Watches of the management server never wait for each other's lists.
    const waits = priority === "live" && change.cluster !== MANAGEMENT;
    const routed = await accepted(() => routeChange(functions, change, waits ? listedLookup : lookup));
    const keys = await accepted(() => filter.concerned(routed));
    const cause = causeOf(change);
    return keys.map(({ functionName, key, tenant }) => {
      const delayMs = priority === "live" ? (settleMs.get(functionName) ?? 0) : 0;
      const traceparent = traced?.traceparentOf(tenant);
      const reported = traceparent === undefined ? cause : { ...cause, traceparent };
      return { functionName, entry: { key, delayMs, priority, cause: reported } };
    });
  };

  return async (changes, priority) => {
    const traces: TracedEvent[] = [];
    const found = await Promise.all(
      changes.map((one) => {
        const { kind, cluster } = one;
        const change = { kind, cluster, ...filter.seen(one) };
        const traced = traceEvent?.(change);
        if (traced !== undefined) traces.push(traced);
        return entriesOf(change, priority, traced);
      }),
    );
    const byFunction = Map.groupBy(found.flat(), ({ functionName }) => functionName);
    await Promise.all(
      [...byFunction].map(([functionName, own]) => {
        const entries = own.map(({ entry }) => entry);
        return accepted(() => queue.enqueue(functionName, entries));
      }),
    );
    for (const traced of traces) traced.end();
  };
}

/** A type that is not listed by then concerns its functions only once it is: they are resynced after its list. */
const [LISTED_WITHIN_MS, LOOK_EVERY_MS, MAX_WAITED_FOR] = [30 * SECOND, 200, 100];

/**
 * Returns lookups that wait for the list of the type in which they look. After a loss a relay lists it again, maybe that of
 * another process, and which keys a Node concerns is not known before.
 */
function lookupOfListed({ store, clock, signal }: Pick<NotifyOptions, "store" | "clock" | "signal">): Lookup {
  const lookup = storeLookup(store);
  const looks = cachedAnswers<boolean>({ cachedMs: LOOK_EVERY_MS, most: MAX_WAITED_FOR, clock });
  return {
    ...lookup,
    async find(kind, index, value) {
      const type = managementType(kind);
      const isListed = async (): Promise<boolean> => {
        const { ready, refusal } = await store.progress(type);
        return ready || refusal !== undefined;
      };
      // One call of the store.
      const [found, isWhole] = await Promise.all([lookup.find(kind, index, value), isListed()]);
      if (isWhole) return found;
      for (let ms = 0; ms < LISTED_WITHIN_MS && !signal.aborted; ms += LOOK_EVERY_MS) {
        await rest(LOOK_EVERY_MS, clock, signal);
        if (await looks(typeText(type), isListed)) break;
      }
      return lookup.find(kind, index, value);
    },
  };
}

function causeOf({ kind, before, after }: Change): Cause {
  const object = after ?? before;
  const what = object === undefined ? kind.kind : titleOf(kind.kind, object.metadata);
  return { what, resourceVersion: object?.metadata.resourceVersion };
}
