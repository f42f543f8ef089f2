import type { Failure } from "../../../shared/runtime/queue/queue-port.ts";
import type { ObjectNode } from "./object-tree.ts";
import type { Problem } from "./problem.ts";

/** A key that its function has failed with, or has given up. */
export interface KeyTrouble {
  readonly function: string;
  readonly key: string;
  readonly isDead: boolean;
  /** Failures in a row. */
  readonly failures: number;
  readonly failure: Failure;
  /** RFC 3339, of a dead key. */
  readonly since?: string | undefined;
  /** When it runs again by itself, RFC 3339, where that is known. */
  readonly until?: string | undefined;
}

/** One finding about one object. */
export interface Finding extends Omit<Problem, "consequences"> {
  /** Equal findings about several objects are one problem. */
  readonly id: string;
  /** The object that it was found at. */
  readonly at?: ObjectNode;
}
