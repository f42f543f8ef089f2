import type { Operation, Process } from "../kernel.ts";
import type { LineOperation } from "../line-queue.ts";
import type { RequestOperation } from "../network.ts";
import type { Seeded } from "../seeded.ts";
import type { LedgerOperation } from "../shared-ledger.ts";
import type { StoreOperation } from "../shared-store.ts";
import type { TokenOperation } from "../shared-tokens.ts";
import type { World } from "../world.ts";

/** Everything that the scheduler can pick and a fault can hit. */
export type AnyOperation =
  | RequestOperation
  | LineOperation
  | LedgerOperation
  | StoreOperation
  | TokenOperation
  | (Operation & { readonly kind: "answer" | "timer" });

/** One class of faults (section 3). */
export interface Fault {
  /** `X-20`. */
  readonly number: string;
  readonly title: string;
  /** Default probability per site in a random run. */
  readonly rate: number;
  /** Whether this operation is one of its sites. */
  isSite(operation: AnyOperation, world: World): boolean;
  /** Completes the operation in its own way. */
  strike(operation: AnyOperation, world: World, chance: Seeded): void;
}

/** A write of one of the functions. */
export function isFunctionWrite(operation: AnyOperation): operation is RequestOperation {
  return operation.kind === "request" && operation.isWrite && isWorker(operation.process);
}

export function isWorker({ name }: Process): boolean {
  return name.startsWith("worker");
}

/** Ends the process of an operation; another one takes its role after 1 to 5 s. */
export function crash(process: Process, world: World, chance: Seeded): void {
  const role = world.roleOf(process);
  if (role !== undefined) world.crash(role, 1_000 + chance.below(4_000));
}
