import type { Operation, Process } from "../kernel/kernel.ts";
import type { Seeded } from "../kernel/seeded.ts";
import type { World } from "../play/world.ts";
import type { LineOperation } from "../ports/line-queue.ts";
import type { RequestOperation } from "../ports/request-operation.ts";
import type { LedgerOperation } from "../ports/shared-ledger.ts";
import type { StoreOperation } from "../ports/shared-store.ts";
import type { TokenOperation } from "../ports/shared-tokens.ts";

/** Everything that the scheduler can pick and a fault can hit. */
export type AnyOperation =
  | RequestOperation
  | LineOperation
  | LedgerOperation
  | StoreOperation
  | TokenOperation
  | (Operation & { readonly kind: "answer" | "timer" });

/** One class of faults. */
export interface Fault {
  /** `X-20`. */
  readonly number: string;
  readonly title: string;
  /** Default probability per site in a random run. */
  readonly rate: number;
  /** The part of the random runs in which it is switched on; default a third. */
  readonly share?: number;
  /** It strikes no more often than this in one random run. */
  readonly most?: number;
  /** Objects come and go because of it: how often is not compared. */
  readonly isDetour?: true;
  /** Whether this operation is one of its sites: it would go another way if the fault struck. */
  isSite(operation: AnyOperation, world: World): boolean;
  /** Its effects at a site, by name, when there are several; each of them is a site of its own. */
  waysAt?(operation: AnyOperation, world: World): readonly string[];
  /** Completes the operation in its own way; `way` is one of `waysAt`. */
  strike(operation: AnyOperation, world: World, chance: Seeded, way: string): void;
}

/** A change that a watch of the relay delivers. */
export function isNotification(operation: AnyOperation): operation is LineOperation {
  return (
    operation.kind === "line" &&
    "line" in operation &&
    operation.process.name.startsWith("relay") &&
    !operation.line.startsWith('{"type":"BOOKMARK"')
  );
}

/** A write of one of the functions. */
export function isFunctionWrite(operation: AnyOperation): operation is RequestOperation {
  return operation.kind === "request" && operation.isWrite && isWorker(operation.process);
}

/** A process of the product: a worker or a relay. */
export function isOurs({ name }: Process): boolean {
  return name.startsWith("worker") || name.startsWith("relay");
}

export function isWorker({ name }: Process): boolean {
  return name.startsWith("worker");
}

/** Ends the process of an operation; another one takes its role after 1 to 5 s. */
export function crash(process: Process, world: World, chance: Seeded): void {
  const role = world.roleOf(process);
  if (role !== undefined) world.crash(role, 1_000 + chance.below(4_000));
}
