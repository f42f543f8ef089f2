import type { Cause } from "../../../shared/runtime/queue/queue-port.ts";
import { MAX_CAUSES } from "../claim.ts";
import type { Class } from "./ledger-entries.ts";

/** The due and the class that an event or a run asks for. */
export interface Wish {
  readonly due: number;
  readonly class: Class;
}

/** Merges two wishes: the earliest due and the most urgent class win. */
export function merged(a: Wish | undefined, b: Wish): Wish {
  return a === undefined ? b : { due: Math.min(a.due, b.due), class: mostUrgent(a.class, b.class) };
}

export function mostUrgent(a: Class, b: Class): Class {
  return a === "live" || b === "live" ? "live" : "resync";
}

/** Returns the causes, newest first, each once, at most MAX_CAUSES. */
export function newest(cause: Cause, causes: readonly Cause[]): readonly Cause[] {
  const others = causes.filter(
    (other) => other.what !== cause.what || other.resourceVersion !== cause.resourceVersion,
  );
  return [cause, ...others].slice(0, MAX_CAUSES);
}
