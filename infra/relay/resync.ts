import { memberOf } from "../../shared/api/indexes.ts";
import { type Kind, type KubeObject, MANAGEMENT } from "../../shared/api/kinds.ts";
import { MINUTE } from "../../shared/function/backoff.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import { digestOf } from "../../shared/runtime/digest.ts";
import type { Log, Store, TypeKey } from "../../shared/runtime/ports.ts";
import { formatKey, type Key } from "../../shared/runtime/queue/key.ts";
import { type Queue, RESTORED } from "../../shared/runtime/queue/queue-port.ts";
import { actsOnState } from "../../shared/runtime/queue/route.ts";
import { rest } from "../platform/rest.ts";
import type { Delivery } from "./delivery/delivery.ts";
import { EVERYTHING, type WatchFilter } from "./delivery/watch-filter.ts";
import { type LossWatch, restUntilLoss } from "./store-loss.ts";

/**
 * A relay has started, a kind was listed late or again, its server was restored or replaced, the period is over, the
 * queue may have lost data.
 */
export type ResyncCause = "start" | "list" | "restored" | "period" | "loss";

export interface ResyncOptions extends LossWatch {
  readonly functions: readonly AnyFunction[];
  readonly store: Store;
  readonly queue: Pick<Queue, "enqueue" | "epoch">;
  readonly delivery: Pick<Delivery, "enqueue">;
  readonly log: Log;
  /** The time between resyncs; default 10 min. */
  readonly periodMs?: number | undefined;
  /** The filter; default: every object is reconciled. */
  readonly filter?: WatchFilter | undefined;
  /** Version of Capstan: another one may decide differently. */
  readonly version?: string | undefined;
  /** Called after every complete resync of a function, for metrics. */
  readonly noteResync?: ((functionName: string, cause: ResyncCause) => void) | undefined;
}

const PERIOD_MS = 10 * MINUTE;
/** A period has so many slices, each enqueued at its own time. */
const SLICES = 60;
const BATCH = 500;
/** Small, so that every function has work soon. */
const FIRST_BATCH = 50;

/**
 * Enqueues every stored object for the given functions, from the read model and without a list (KR-18), but those for
 * which a function would decide nothing. The functions take turns.
 */
export async function resyncNow(
  options: KeySources,
  functions: readonly AnyFunction[],
  cause: ResyncCause,
): Promise<void> {
  const what = cause === "restored" ? RESTORED : "resync";
  await enqueueInTurns(options.delivery, await plansOf(options, functions), what, async ({ spec }) =>
    options.noteResync?.(spec.name, cause),
  );
}

/**
 * Enqueues, when a relay starts, every key of the functions that `isNew` names, because a type that they watch was not
 * known before, and of those that no relay has resynced since their queue began or their build changed. For all others
 * an earlier relay has enqueued every change.
 */
export async function resyncAtStart(
  options: KeySources & Pick<ResyncOptions, "functions" | "queue" | "version">,
  isNew: (fn: AnyFunction) => boolean,
): Promise<void> {
  const { functions, store, delivery, noteResync } = options;
  const marks = new Map<AnyFunction, string | undefined>();
  const look = async (each: AnyFunction) => {
    const [mark, done] = await Promise.all([markOf(options, each), store.progress(markType(each))]);
    marks.set(each, mark);
    return mark === undefined || done.scope !== mark || isNew(each);
  };
  const isDue = await Promise.all(functions.map(look));
  const due = functions.filter((_, at) => isDue[at]);
  await enqueueInTurns(delivery, await plansOf(options, due), "resync", async (each) => {
    noteResync?.(each.spec.name, "start");
    const mark = marks.get(each);
    if (mark !== undefined) await store.advance(markType(each), { scope: mark });
  });
}

/** Returns the type whose scope names the queue and the build for which a function was resynced. */
function markType({ spec }: AnyFunction): TypeKey {
  return { cluster: MANAGEMENT, group: "capstan.dev", kind: `Resync/${spec.name}` };
}

/** Returns the queue and the build of a function as a digest; undefined while the queue does not answer. */
async function markOf(
  { queue, version = "dev" }: Pick<ResyncOptions, "queue" | "version">,
  { spec }: AnyFunction,
): Promise<string | undefined> {
  const epoch = await queue.epoch(spec.name).catch(() => undefined);
  return epoch === undefined
    ? undefined
    : digestOf({ epoch, version, spec: JSON.stringify(spec, withoutSchema) });
}

/** Leaves schemas out: they are large, and part of the version. */
function withoutSchema(name: string, value: unknown): unknown {
  return name === "schema" ? undefined : value;
}

/** Resyncs everything, spread evenly over every period. Ends when the signal aborts. */
export async function resyncPeriodically(options: ResyncOptions): Promise<void> {
  const { functions, delivery, clock, log, signal, periodMs = PERIOD_MS, noteResync } = options;
  while (!signal.aborted) {
    const keysOf = keyReader(options);
    const plans = await Promise.all(
      functions.map(async (each) => ({ each, keys: await keysOf(each).catch(() => []) })),
    );
    for (let slice = 0; slice < SLICES; slice += 1) {
      await rest(periodMs / SLICES, clock, signal);
      if (signal.aborted) return;
      for (const { each, keys } of plans) {
        const part = keys.slice((keys.length * slice) / SLICES, (keys.length * (slice + 1)) / SLICES);
        await enqueueAll(delivery, each, part);
      }
    }
    for (const { spec } of functions) noteResync?.(spec.name, "period");
    log.debug({ functions: functions.length }, "full resync complete");
  }
}

/** Watches for a ledger that may have lost its data, and then resyncs its function at once. */
export async function resyncAfterLoss(options: ResyncOptions): Promise<void> {
  const { functions, queue, log, signal } = options;
  const untilCheck = restUntilLoss(options);
  const epochs = new Map<string, string>();
  while (!signal.aborted) {
    for (const each of functions) {
      const { name } = each.spec;
      const epoch = await queue.epoch(name).catch(() => undefined);
      const before = epochs.get(name);
      if (epoch === undefined || epoch === before) continue;
      epochs.set(name, epoch);
      if (before === undefined) continue;
      log.warn(
        { function: name },
        "the queue may have lost data; every key of the function is enqueued again",
      );
      await resyncNow(options, [each], "loss").catch((error: unknown) => {
        epochs.set(name, before);
        log.warn({ function: name, error: String(error) }, "the resync failed; retrying");
      });
    }
    await untilCheck();
  }
}

type KeySources = Pick<ResyncOptions, "store" | "delivery" | "filter" | "noteResync">;

/** The keys of a function, in the order in which they are enqueued. */
interface Plan {
  readonly each: AnyFunction;
  readonly keys: readonly Key[];
}

async function plansOf(options: KeySources, functions: readonly AnyFunction[]): Promise<readonly Plan[]> {
  const keysOf = keyReader(options);
  return Promise.all(functions.map(async (each) => ({ each, keys: await keysOf(each) })));
}

/**
 * Returns a reader of the keys of a function, without objects for which it would decide nothing; it lists the objects of
 * a kind once.
 */
function keyReader(options: KeySources): (fn: AnyFunction) => Promise<readonly Key[]> {
  const lists = new Map<Kind, Promise<readonly KubeObject[]>>();
  return async ({ spec }) => {
    const { reconciles } = spec;
    const list = lists.get(reconciles) ?? concernedObjects(options, reconciles);
    lists.set(reconciles, list);
    return keysOfObjects(await list, spec);
  };
}

async function concernedObjects(
  { store, filter = EVERYTHING }: KeySources,
  { group, kind }: Kind,
): Promise<readonly KubeObject[]> {
  const all = await store.list({ cluster: MANAGEMENT, group, kind }, {});
  return all.filter((object) => filter.isConcerned(object));
}

function keysOfObjects(objects: readonly KubeObject[], spec: AnyFunction["spec"]): readonly Key[] {
  const { reconciles } = spec;
  const keys = objects.flatMap((object) => {
    const member = memberOf(reconciles, object);
    const isAtWork = actsOnState(spec, member.deleting === true) && spec.isIdle?.(object) !== true;
    return isAtWork ? [formatKey({ ...member, kind: reconciles.kind })] : [];
  });
  return interleaved([...new Set(keys)]);
}

/**
 * Returns the first key of every tenant, then the second, and so on: no tenant waits for all keys of another (KR-18).
 */
function interleaved(keys: readonly Key[]): readonly Key[] {
  const seen = new Map<string, number>();
  const turns = keys.map((key) => {
    const [tenant = ""] = key.split("|");
    const turn = seen.get(tenant) ?? 0;
    seen.set(tenant, turn + 1);
    return { key, turn };
  });
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ key }) => key);
}

/**
 * Enqueues the first keys of every function, then the next ones of each, and so on: no function waits for all keys of
 * another (KR-18). `noteEnd` is called for each function after its last key.
 */
async function enqueueInTurns(
  delivery: ResyncOptions["delivery"],
  plans: readonly Plan[],
  what: string,
  noteEnd: (fn: AnyFunction) => Promise<void>,
): Promise<void> {
  let from = 0;
  let to = FIRST_BATCH;
  for (let left = plans; left.length > 0; left = left.filter(({ keys }) => keys.length > from)) {
    for (const { each, keys } of left) {
      await enqueueAll(delivery, each, keys.slice(from, to), what);
      if (keys.length <= to) await noteEnd(each);
    }
    from = to;
    to += BATCH;
  }
}

async function enqueueAll(
  delivery: ResyncOptions["delivery"],
  { spec }: AnyFunction,
  keys: readonly Key[],
  what = "resync",
): Promise<void> {
  for (let at = 0; at < keys.length; at += BATCH) {
    const entries = keys
      .slice(at, at + BATCH)
      .map((key) => ({ key, priority: "resync", cause: { what } }) as const);
    await delivery.enqueue(spec.name, entries);
  }
}
