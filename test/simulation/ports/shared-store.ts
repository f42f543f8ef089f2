import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Store, TypeKey, TypeProgress } from "../../../shared/runtime/ports.ts";
import type { Kernel, Operation, Process } from "../kernel/kernel.ts";

/** A call of the read model by one process. */
export interface StoreOperation extends Operation {
  readonly kind: "store";
  readonly isWrite: boolean;
  /** The store does not answer. */
  fail(error: Error): void;
}

/** A snapshot that has replaced another one. No `before`: added. No `after`: removed. */
interface Shown {
  readonly type: TypeKey;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
  /** Who has shown it. */
  readonly process: Process;
}

/** The read model that several processes share: the one in memory, a network away. */
export interface SharedStore {
  of(process: Process): Store;
  /** The store itself, for who looks on. */
  readonly inner: Store;
  /** Everything is gone. */
  wipe(): void;
  /** Some kinds are gone, or some of their objects; returns what. */
  wipeType(type: TypeKey): Promise<void>;
  /** The present, to go back to later. */
  readonly mark: number;
  /** The last mark before that time, ms since the epoch. */
  markAt(time: number): number;
  /** Another server takes over, with everything as it was at a mark: no type is ready until it is listed. */
  goBack(mark: number): void;
  onShown(observer: (shown: Shown) => void): void;
  /** Everything, or all of a kind, is gone or as it was before. */
  onWipe(observer: () => void): void;
  /** The product itself has forgotten a kind, to list it again. */
  onDrop(observer: (type: TypeKey) => void): void;
  /** Kinds that have been used, in the order of their first use. */
  readonly types: readonly TypeKey[];
}

interface Write {
  readonly at: number;
  readonly make: (store: Store) => Promise<unknown>;
}

const WRITES: ReadonlySet<string> = new Set(["put", "remove", "advance", "drop"]);

export function createSharedStore(kernel: Kernel): SharedStore {
  let journal: Write[] = [];
  let inner = createMemoryStore();
  /** Types that were reported ready to this server itself, as the store on Redis requires. */
  const ready = new Set<string>();
  /** Types whose list has begun. */
  const begun = new Set<string>();
  /** Keeps the writes, so that `goBack` can repeat them. */
  const write = <T>(make: (store: Store) => Promise<T>): Promise<T> => {
    journal.push({ at: kernel.now, make });
    return make(inner);
  };
  const types = new Map<string, TypeKey>();
  const observers: ((shown: Shown) => void)[] = [];
  const wiped: (() => void)[] = [];
  const dropped: ((type: TypeKey) => void)[] = [];
  const show = (shown: Shown): void => {
    for (const observer of observers) observer(shown);
  };
  const of = (process: Process): Store => {
    const call = <T>(name: string, type: TypeKey, make: (store: Store) => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        types.set(nameOf(type), type);
        const operation: StoreOperation = {
          process,
          kind: "store",
          what: () => `${name} ${type.cluster} ${type.kind}`,
          isWrite: WRITES.has(name),
          run: () => void make(inner).then(resolve, reject),
          fail: reject,
        };
        kernel.post(operation);
      });
    const progressOf = (type: TypeKey, progress: TypeProgress): TypeProgress => ({
      ...progress,
      ready: progress.ready && ready.has(nameOf(type)),
    });
    return {
      get: (type, key) => call("get", type, (store) => store.get(type, key)),
      list: (type, selection) => call("list", type, (store) => store.list(type, selection)),
      read: (type, asked) =>
        call("name" in asked ? "get" : "list", type, async (store) => {
          const { found, progress } = await store.read(type, asked);
          return { found, progress: progressOf(type, progress) };
        }),
      find: (type, index, value) => call("find", type, (store) => store.find(type, index, value)),
      named: (type, part, limit) => call("list", type, (store) => store.named(type, part, limit)),
      async *each(type) {
        yield* await call("list", type, (store) => store.list(type, {}));
      },
      put: (type, objects) =>
        call("put", type, async () => {
          const puts = await write((store) => store.put(type, objects));
          for (const [at, { stored, before }] of puts.entries())
            if (stored) show({ type, before, after: objects[at], process });
          return puts;
        }),
      remove: (type, key, deleted) =>
        call("remove", type, async () => {
          const before = await write((store) => store.remove(type, key, deleted));
          if (before !== undefined) show({ type, before, after: undefined, process });
          return before;
        }),
      progress: (type) =>
        call("progress", type, async (store) => progressOf(type, await store.progress(type))),
      unreported: (type) => call("unreported", type, (store) => store.unreported(type)),
      advance: (type, progress) =>
        call("advance", type, () => {
          if (progress.ready === false) begun.add(nameOf(type));
          if (progress.ready === true && begun.has(nameOf(type))) ready.add(nameOf(type));
          return write((store) => store.advance(type, progress));
        }),
      drop: (type) =>
        call("drop", type, async () => {
          for (const known of [begun, ready]) known.delete(nameOf(type));
          await write((store) => store.drop(type));
          for (const observer of dropped) observer(type);
        }),
      signs: inner.signs,
      [Symbol.asyncDispose]: async () => undefined,
    };
  };
  return {
    of,
    get inner() {
      return inner;
    },
    onShown: (observer) => void observers.push(observer),
    onWipe: (observer) => void wiped.push(observer),
    onDrop: (observer) => void dropped.push(observer),
    wipe() {
      for (const known of [begun, ready]) known.clear();
      journal = [];
      inner = createMemoryStore();
      for (const observer of wiped) observer();
    },
    async wipeType(type) {
      for (const known of [begun, ready]) known.delete(nameOf(type));
      await write((store) => store.drop(type));
      for (const observer of wiped) observer();
    },
    get mark() {
      return journal.length;
    },
    markAt: (time) => journal.filter(({ at }) => at <= time).length,
    goBack(mark) {
      journal = journal.slice(0, mark);
      inner = createMemoryStore();
      for (const known of [begun, ready]) known.clear();
      // The store in memory has done it when it returns.
      for (const { make } of journal) void make(inner);
      for (const observer of wiped) observer();
    },
    get types() {
      return [...types.values()];
    },
  };
}

function nameOf({ cluster, group, kind }: TypeKey): string {
  return `${cluster} ${group} ${kind}`;
}
