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
import type { LossWatch } from "./store-loss.ts";

/** A relay started, a kind was listed late, its server was restored, the period is over, or data may be lost. */
export type ResyncCause = "start" | "list" | "restored" | "period" | "loss";

export interface ResyncOptions extends Pick<LossWatch, "clock" | "signal"> {
  readonly functions: readonly AnyFunction[];
  readonly store: Store;
  readonly queue: Pick<Queue, "enqueue" | "epoch">;
  readonly delivery: Pick<Delivery, "enqueue">;
  readonly log: Log;
  /** The time between resyncs; default 10 min. */
  readonly periodMs?: number | undefined;
  /** Whether runs find what they read: while it is being listed, they would only wait, and everything is enqueued then. */
  readonly isOpen: () => boolean;
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
 * Enqueues, when a relay starts or data are lost, every key of the functions that `isNew` names, because changes of a type
 * that they watch were only stored, and of those that no relay has resynced since their queue began or their build changed.
 * For all others every change was enqueued.
 */
export async function resyncDue(
  options: KeySources & Pick<ResyncOptions, "functions" | "queue" | "version">,
  isNew: (fn: AnyFunction) => boolean,
  cause: "start" | "loss",
): Promise<void> {
  const { functions, store, delivery, noteResync } = options;
  const look = async (each: AnyFunction) => {
    const [mark, done] = await Promise.all([markOf(options, each), store.progress(markType(each))]);
    return mark === undefined || done.scope !== mark || isNew(each) ? [[each, mark] as const] : [];
  };
  const marks = new Map((await Promise.all(functions.map(look))).flat());
  await enqueueInTurns(delivery, await plansOf(options, [...marks.keys()]), "resync", async (each) => {
    noteResync?.(each.spec.name, cause);
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
  const { functions, delivery, clock, log, signal, periodMs = PERIOD_MS, isOpen, noteResync } = options;
  while (!signal.aborted) {
    const keysOf = keyReader(options);
    const plans = await Promise.all(
      functions.map(async (each) => ({ each, keys: await keysOf(each).catch(() => []) })),
    );
    for (let slice = 0; slice < SLICES; slice += 1) {
      await rest(periodMs / SLICES, clock, signal);
      if (signal.aborted) return;
      for (const { each, keys } of isOpen() ? plans : []) {
        const part = keys.slice((keys.length * slice) / SLICES, (keys.length * (slice + 1)) / SLICES);
        await enqueueAll(delivery, each, part);
      }
    }
    for (const { spec } of functions) noteResync?.(spec.name, "period");
    log.debug({ functions: functions.length }, "full resync complete");
  }
}

/** Returns a look whether the queue of any function may have lost data since the look before. */
export function lossOfQueue({ functions, queue }: Pick<ResyncOptions, "functions" | "queue">) {
  const epochs = new Map<string, string>();
  return async (): Promise<boolean> => {
    let isLost = false;
    for (const { spec } of functions) {
      const before = epochs.get(spec.name);
      const epoch = await queue.epoch(spec.name).catch(() => before);
      isLost ||= before !== undefined && epoch !== before;
      if (epoch !== undefined) epochs.set(spec.name, epoch);
    }
    return isLost;
  };
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
