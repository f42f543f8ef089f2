import type { Network } from "../../../infra/playground/network.ts";
import type { LedgerHost } from "../../../infra/queue/backends/embedded/embedded-ledger.ts";
import type { TokenLedger } from "../../../infra/queue/tokens/token-ledger.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { Clock, Store } from "../../../shared/runtime/ports.ts";
import type { Queue } from "../../../shared/runtime/queue/queue-port.ts";
import type { Process } from "../kernel/kernel.ts";

/** Replacements of parts of the product by a defect; other parts stay as they are. */
interface Patch {
  /** A function with another step. */
  function?(fn: AnyFunction): AnyFunction;
  /** The scripts of the ledger. */
  scripts?(host: LedgerHost): LedgerHost;
  /** The ledger as one process calls it. */
  tokenLedger?(ledger: TokenLedger, process: Process): TokenLedger;
  /** The queue as a worker uses it. */
  queue?(queue: Queue): Queue;
  /** The network as a relay or a worker has it. */
  network?(network: Network, process: Process): Network;
  /** The read model as a relay or a worker has it. */
  store?(store: Store): Store;
  /** The clock of a relay or a worker. */
  clock?(clock: Clock, process: Process): Clock;
}

/** A defect that a developer could make, to see whether the simulation finds it. */
export interface Defect {
  /** `D-01`. */
  readonly number: string;
  readonly title: string;
  /** Where it shows soonest: this workload under these classes of faults. */
  readonly target: {
    readonly workload: string;
    /** One at a time, at every site. */
    readonly faults: readonly string[];
    /** It takes several: all classes at once, at random, one seed after the other. */
    readonly isTogether?: boolean;
  };
  /** The patch of one world: what it remembers, it remembers of that one only. */
  patch(): Patch;
}

/** The same port with some of its methods replaced; classes with private members included. */
export function patched<T extends object>(port: T, methods: Partial<T>): T {
  return new Proxy(port, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** The same function with another step. */
export function stepping(fn: AnyFunction, step: AnyFunction["step"]): AnyFunction {
  return { spec: fn.spec, step };
}

/** Lines of one file of Lua, and what stands there instead. */
export type Edit = readonly [file: string, of: string, by: string];

/** The scripts of the ledger with some lines replaced. */
export function edited(...edits: readonly Edit[]): (host: LedgerHost) => LedgerHost {
  return ({ lua, texts }) => {
    const changed = new Map(texts);
    for (const [file, of, by] of edits) {
      const parts = changed.get(file)?.split(of) ?? [];
      if (parts.length !== 2) throw new Error(`${file}.lua has these lines ${parts.length - 1} times: ${of}`);
      changed.set(file, parts.join(by));
    }
    return { lua, texts: changed };
  };
}
