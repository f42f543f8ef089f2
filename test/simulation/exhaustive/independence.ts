import type { AnyOperation } from "../faults/fault.ts";

/** Names that a step reads and changes. A step that changes `EVERYTHING` has its place in any order. */
export interface Footprint {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

const EVERYTHING = "everything";

/**
 * Whether two steps that could both come next lead to the same state in either order. This is the only place that says
 * so:
 *
 * - steps that only look at the same thing do, and steps of which one changes what the other one looks at or
 * changes
 *   do not;
 * - two writes of objects of one kind do not, because the relay receives them in this order;
 * - a line of a watch does not commute with anything that its relay does, nor with a claim, after which the
 * run reads
 *   the read model at once;
 * - calls of the ledger of one function do not, because a claim takes whichever key is first;
 * - of two faults only one may strike.
 */
export function commute(a: Footprint, b: Footprint): boolean {
  if (a.writes.includes(EVERYTHING) || b.writes.includes(EVERYTHING)) return false;
  return !clash(a, b) && !clash(b, a);
}

function clash(writer: Footprint, other: Footprint): boolean {
  return writer.writes.some((name) => other.writes.includes(name) || other.reads.includes(name));
}

/**
 * Returns whether an operation may always be first: only its waiter can observe when it happens, nothing else prevents
 * it, and no fault strikes there. An answer is heard by its client only, which asks for something else then. A token
 * makes a worker ask for a claim, unless the worker is killed before. The epoch of the ledger never changes here.
 */
export function mayBeFirst(operation: AnyOperation, fault: string | undefined): boolean {
  const { kind } = operation;
  if (kind === "token") return !TOKEN_FAULTS.has(fault ?? "");
  return kind === "answer" || (kind === "ledger" && operation.call === "epoch");
}

const TOKEN_FAULTS: ReadonlySet<string> = new Set(["X-01", "X-30"]);

/** The footprint of an operation that is completed as it should be. */
export function footprintOf(operation: AnyOperation): Footprint {
  const { kind, process } = operation;
  switch (kind) {
    case "request":
      return "request" in operation ? ofRequest(operation.request) : ALL;
    case "line":
      return { reads: [], writes: [`process ${process.name}`, READ_MODEL] };
    case "ledger":
      return "functionName" in operation ? ofCall(operation) : ALL;
    case "token":
      return { reads: [], writes: [operation.what()] };
    default:
      return ALL;
  }
}

/** The footprint of a fault that strikes at an operation. */
export function footprintOfStrike(fault: string, operation: AnyOperation): Footprint {
  if (!LOCAL_FAULTS.has(fault)) return ALL;
  const { reads, writes } = footprintOf(operation);
  return { reads, writes: [...writes, "fault"] };
}

/** These concern nothing but the operation at which they strike. */
const LOCAL_FAULTS: ReadonlySet<string> = new Set(["X-14", "X-20", "X-23"]);

const ALL: Footprint = { reads: [], writes: [EVERYTHING] };
const READ_MODEL = "read model";

/** Requests for one object by its name, with or without a subresource; a kind is the content of its watches. */
function ofRequest({ method, path }: { readonly method: string; readonly path: string }): Footprint {
  const [object, kind] = /\/namespaces\/[^/]+\/([^/]+)\/[^/?]+/.exec(path) ?? [];
  if (object === undefined) return ALL;
  if (method === "GET") return { reads: [`object ${object}`], writes: [] };
  return method === "PATCH" ? { reads: [], writes: [`object ${object}`, `kind ${kind}`] } : ALL;
}

function ofCall({ functionName, process }: Extract<AnyOperation, { kind: "ledger" }>): Footprint {
  const ledger = `ledger ${functionName}`;
  // A relay continues with its next change, and stores it; a claimed key reads at once.
  return process.name.startsWith("relay")
    ? { reads: [], writes: [ledger, READ_MODEL, `process ${process.name}`] }
    : { reads: [READ_MODEL], writes: [ledger] };
}
