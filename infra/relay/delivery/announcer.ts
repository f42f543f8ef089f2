import { type Kind, type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import type { AnyFunction, Lookup } from "../../../shared/function/define-function.ts";
import type { Clock, Log, Store, TypeKey } from "../../../shared/runtime/ports.ts";
import type { Cause, Queue, QueueEntry } from "../../../shared/runtime/queue-port.ts";
import { type Change, routeChange } from "../../../shared/runtime/route.ts";
import { causeText } from "../../../shared/runtime/triggers.ts";
import { untilAccepted } from "../retry.ts";
import { typeText } from "./handed-on.ts";
import { EVERYTHING, type WatchFilter } from "./watch-filter.ts";

export type Urgency = QueueEntry["class"];

export interface AnnouncerOptions {
  readonly functions: readonly AnyFunction[];
  readonly store: Store;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Default: every object is reconciled. */
  readonly filter?: WatchFilter | undefined;
  /** Told of every stored change before functions are woken; must not wait for a delivery. */
  readonly onChange: (change: Change) => void;
}

/** From stored changes to keys. */
export interface Announcer {
  announce(type: TypeKey, change: Pick<Change, "before" | "after">, urgency: Urgency): Promise<void>;
  enqueue(functionName: string, entries: readonly QueueEntry[]): Promise<void>;
  /** Until `open` the changes of a type wake nobody: what is stored of it is not complete, and a resync follows. */
  hush(type: TypeKey): void;
  /** The types that were hushed. */
  open(): readonly TypeKey[];
}

export function createAnnouncer(options: AnnouncerOptions): Announcer {
  const { functions, store, queue, filter = EVERYTHING } = options;
  const settleMs = new Map(functions.map(({ spec }) => [spec.name, spec.queue?.settleMs ?? 0]));
  const hushed = new Map<string, TypeKey>();
  let isOpen: boolean = false;
  const lookup: Lookup = {
    find: ({ group, kind }: Kind, index, value) =>
      store.find({ cluster: MANAGEMENT, group, kind }, index, value),
  };

  const enqueue = (functionName: string, entries: readonly QueueEntry[]) =>
    untilAccepted(() => queue.enqueue(functionName, entries), options);
  const announceOne = async (change: Change, urgency: Urgency) => {
    const routed = await untilAccepted(() => routeChange(functions, change, lookup), options);
    const keys = await untilAccepted(() => filter.concerned(routed), options);
    const cause = causeOf(change);
    await Promise.all(
      [...Map.groupBy(keys, ({ functionName }) => functionName)].map(([functionName, own]) => {
        const delayMs = urgency === "live" ? (settleMs.get(functionName) ?? 0) : 0;
        const entries = own.map(({ key }) => ({ key, delayMs, class: urgency, cause }));
        return enqueue(functionName, entries);
      }),
    );
  };

  return {
    enqueue,
    async announce(type, change, urgency) {
      const place = { kind: { group: type.group, kind: type.kind }, cluster: type.cluster };
      for (const one of separate(change)) {
        options.onChange({ ...place, ...one });
        if (!hushed.has(typeText(type))) await announceOne({ ...place, ...filter.seen(one) }, urgency);
      }
    },
    hush(type) {
      if (!isOpen) hushed.set(typeText(type), type);
    },
    open() {
      isOpen = true;
      const types = [...hushed.values()];
      hushed.clear();
      return types;
    },
  };
}

/** An object recreated under its name is two changes: the old one went, the new one came (KR-13). */
function separate({
  before,
  after,
}: Pick<Change, "before" | "after">): readonly Pick<Change, "before" | "after">[] {
  const recreated = before !== undefined && after !== undefined && before.metadata.uid !== after.metadata.uid;
  return recreated ? [{ before }, { after }] : [{ before, after }];
}

function causeOf({ kind, before, after }: Change): Cause {
  const object = after ?? before;
  const what = object === undefined ? kind.kind : causeText(kind.kind, object);
  return { what, resourceVersion: object?.metadata.resourceVersion };
}

export function nameOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}
