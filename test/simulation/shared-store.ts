import { createMemoryStore } from "../../infra/store/memory.ts";
import type { Store, TypeKey } from "../../shared/runtime/ports.ts";
import type { Kernel, Operation, Process } from "./kernel.ts";

/** A call of the read model by one process. */
export interface StoreOperation extends Operation {
  readonly kind: "store";
  readonly isWrite: boolean;
  /** The store does not answer. */
  fail(error: Error): void;
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
  /** Kinds that have been used, in the order of their first use. */
  readonly types: readonly TypeKey[];
}

const WRITES: ReadonlySet<string> = new Set(["put", "remove", "advance", "drop"]);

export function createSharedStore(kernel: Kernel): SharedStore {
  let inner = createMemoryStore();
  const types = new Map<string, TypeKey>();
  const of = (process: Process): Store => {
    const call = <T>(name: string, type: TypeKey, make: (store: Store) => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        types.set(`${type.cluster} ${type.group} ${type.kind}`, type);
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
    return {
      get: (type, key) => call("get", type, (store) => store.get(type, key)),
      list: (type, selection) => call("list", type, (store) => store.list(type, selection)),
      find: (type, index, value) => call("find", type, (store) => store.find(type, index, value)),
      put: (type, object) => call("put", type, (store) => store.put(type, object)),
      remove: (type, key, deleted) => call("remove", type, (store) => store.remove(type, key, deleted)),
      progress: (type) => call("progress", type, (store) => store.progress(type)),
      untold: (type) => call("untold", type, (store) => store.untold(type)),
      advance: (type, progress) => call("advance", type, (store) => store.advance(type, progress)),
      drop: (type) => call("drop", type, (store) => store.drop(type)),
      [Symbol.asyncDispose]: async () => undefined,
    };
  };
  return {
    of,
    get inner() {
      return inner;
    },
    wipe() {
      inner = createMemoryStore();
    },
    wipeType: (type) => inner.drop(type),
    get types() {
      return [...types.values()];
    },
  };
}
