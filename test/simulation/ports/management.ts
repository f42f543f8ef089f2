import {
  type ApiServer,
  type ChangeListener,
  Storage,
  startApiServer,
} from "../../../infra/playground/apiserver/entry.ts";
import type { Kernel, Process } from "../kernel/kernel.ts";
import type { SimulatedNetwork } from "./network.ts";
import { isRequest } from "./request-operation.ts";

/** The management API server. */
export interface Management {
  readonly server: ApiServer;
  /** Its objects, for who looks on; others after a restore. */
  readonly storage: Storage;
  /** As the network knows it. */
  readonly address: string;
  /** Called with every stored change, also after a restore. */
  onChange(listener: ChangeListener): void;
  /**
   * Takes back the last so many writes, or as many as its history knows, as a restore from a backup does. It is
   * away for so long: a server that is back within 5 s is taken for the one that it was (KR-12).
   */
  restore(writes: number, awayMs: number): void;
  /** Called with the version that it was restored to. */
  onRestore(observer: (version: number) => void): void;
}

const TOKEN = "management";

export async function startManagement(
  kernel: Kernel,
  network: SimulatedNetwork,
  prepared: Storage,
): Promise<Management> {
  const process = kernel.process("apiserver");
  const listeners: ChangeListener[] = [];
  const restored: ((version: number) => void)[] = [];
  const server = await startApiServer({
    name: "management",
    token: TOKEN,
    clock: process.clock,
    random: process.random,
    listen: network.of(process).listen,
    storage: copyOf(prepared, process),
  });
  const listen = (): void => {
    const { storage } = server;
    storage.onChange((type, change) => {
      // A request that was under way at a restore is still carried out, on objects that no longer count.
      if (server.storage !== storage) return;
      for (const listener of listeners) listener(type, change);
    });
  };
  listen();
  const address = `127.0.0.1:${server.port}`;
  const undo = (writes: number, awayMs: number): void => {
    const version = server.storage.version - writes;
    kernel.trace.add(`the management server is restored to version ${version}`);
    const isBack = kernel.intercept((operation) => {
      const isHit = isRequest(operation) && operation.server === address;
      if (isHit) operation.refuse(`connect ECONNREFUSED ${address}`);
      return isHit;
    });
    process.clock.after(awayMs, isBack);
    void server.restart({ undo: writes }).then(() => {
      listen();
      for (const observer of restored) observer(version);
    });
  };
  return {
    server,
    get storage() {
      return server.storage;
    },
    address,
    onChange: (listener) => void listeners.push(listener),
    onRestore: (observer) => void restored.push(observer),
    restore(writes, awayMs) {
      const { storage } = server;
      let most = writes;
      while (most > 0 && storage.asOf(storage.version - most) === undefined) most -= 1;
      if (most > 0) undo(most, awayMs);
    },
  };
}

/** The same objects in a storage of its own. */
function copyOf(prepared: Storage, { clock }: Process): Storage {
  const copy = new Storage(prepared.version, clock);
  for (const [type, collection] of prepared.collections) {
    for (const object of collection.values()) copy.restore(type, object);
  }
  return copy;
}
