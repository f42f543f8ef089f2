import type { Failure } from "../../../shared/runtime/queue/queue-port.ts";
import type { ObjectNode } from "./object-tree.ts";

/** Subjects of problems in the order in which they must be mended: a later one may follow from an earlier one. */
export const SUBJECTS = [
  "freshness",
  "worker",
  "paused",
  "topology",
  "cluster",
  "definition",
  "list",
  "missing",
  "provider",
  "refused",
  "dead",
  "connection",
  "finalizer",
  "drain",
  "version",
  "rollout",
  "health",
  "resources",
  "waiting",
] as const;

/** A root that a person has to mend; its consequences are not problems of their own. */
export interface Problem {
  readonly about: (typeof SUBJECTS)[number];
  /** The object to mend: `SimBootstrapConfig default/nowhere`. */
  readonly object: string;
  /** The name of a definition: `<group>/<Kind>`. */
  readonly definition?: string;
  /** The fault, in a sentence without its end. */
  readonly cause: string;
  /** The next step of that person. */
  readonly next: string;
  /** RFC 3339, where it is known. */
  readonly since?: string;
  /** `broken`: waiting does not mend it. `held`: someone holds it up on purpose, and it resumes by itself after that. */
  readonly severity: "broken" | "held";
  /** The letter of a key that its function has given up. */
  readonly letter?: { readonly function: string; readonly key: string };
  /** Further findings that only follow from it. */
  readonly consequences: number;
}

/** Returns whether something awaited, `Kind.path` and the object by name where it is known, comes with the end of a problem. */
export function isAwaited(problem: Problem, what: string, object?: string): boolean {
  switch (problem.about) {
    case "freshness":
      return what === textOf(problem);
    case "paused":
      return /\.(spec\.paused|metadata\.annotations\[cluster\.x-k8s\.io\/paused\])$/.test(what);
    case "connection":
      return /^Connection[. ]/.test(what);
    case "definition":
      return what.startsWith("CustomResourceDefinition.") && what.endsWith(` of ${problem.definition}`);
    case "list":
      return what.includes(problem.cause);
    case "topology":
      return /^Cluster\.spec\.(infrastructureRef|controlPlaneRef)$/.test(what);
    case "cluster":
    case "missing":
    case "provider":
    case "finalizer":
      return object === problem.object;
    default:
      return false;
  }
}

/** Returns cause and next step as one text. */
export function textOf({ cause, next }: Pick<Problem, "cause" | "next">): string {
  return next === "" ? cause : `${cause}; ${next}`;
}

/** Divides `cause; next step`, as rules say it. */
export function parted(text: string): Pick<Problem, "cause" | "next"> {
  const at = text.indexOf("; ");
  return at < 0 ? { cause: text, next: "" } : { cause: text.slice(0, at), next: text.slice(at + 2) };
}

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
