import type { Kind } from "../../../shared/api/kinds.ts";
import { segmentsOf } from "../../../shared/api/path.ts";
import type { ContractKind } from "../../../shared/contract/contract-kind.ts";
import { type AnyFunction, isContractKind } from "../../../shared/function/define-function.ts";

/** A field that a function writes. */
export interface Owned {
  readonly by: string;
  readonly kind: string;
  /** The kind may be one of a provider: it may stand behind a contract kind. */
  readonly contract: boolean;
  readonly field: string;
}

/** Groups whose kinds are not provider objects: a contract kind never means one of them. */
const CORE_GROUPS = new Set(["", "cluster.x-k8s.io", "addons.cluster.x-k8s.io", "capstan.dev"]);

function owned(by: string, kind: Kind | ContractKind, field: string): Owned {
  return {
    by,
    kind: isContractKind(kind) ? kind.contract : kind.kind,
    contract: isContractKind(kind) || !CORE_GROUPS.has(kind.group),
    field,
  };
}

function ownedBy({ spec }: AnyFunction): readonly Owned[] {
  const foreign = (spec.ownsOn ?? []).flatMap(({ kind, fields }) =>
    fields.map((field) => owned(spec.name, kind, field)),
  );
  return [...spec.owns.map((field) => owned(spec.name, spec.reconciles, field)), ...foreign];
}

/** A contract kind and a provider's own kind may be the same object; two contract kinds are not. */
function mayBeSame(a: Owned, b: Owned, contracts: ReadonlySet<string>): boolean {
  if (a.kind === b.kind) return true;
  return a.contract && b.contract && contracts.has(a.kind) !== contracts.has(b.kind);
}

function overlaps(a: string, b: string): boolean {
  const [short = [], long = []] = [segmentsOf(a), segmentsOf(b)].sort((x, y) => x.length - y.length);
  return short.every((segment, index) => segment === long[index]);
}

/** Two writers of one field. */
type Pair = readonly [Owned, Owned];

/** Returns every pair of different functions that write the same field. */
export function pairs(all: readonly Owned[], contracts: ReadonlySet<string>): readonly Pair[] {
  return all.flatMap((a) =>
    all
      .filter((b) => a.by < b.by && mayBeSame(a, b, contracts) && overlaps(a.field, b.field))
      .map((b): Pair => [a, b]),
  );
}

/** A turn of one function, and whether it is about these two writers. */
function turnsOf({ spec }: AnyFunction) {
  return (spec.inTurnWith ?? []).map(({ function: other, on, field, reason }) => {
    const { kind } = owned(spec.name, on, field);
    const isAbout = ([a, b]: Pair): boolean =>
      [a, b].every(({ by }) => by === spec.name || by === other) &&
      [a.kind, b.kind].includes(kind) &&
      [a, b].every((one) => overlaps(one.field, field));
    return { text: `${spec.name} in turn with ${other}: ${kind} ${field}`, reason, isAbout };
  });
}

/**
 * Returns the fields that two functions write without saying that they take turns, and the turns that excuse nothing: a
 * pair that no longer exists must not stay excused.
 */
export function unsettledWriters(functions: readonly AnyFunction[]): readonly string[] {
  const contracts = new Set(
    functions.flatMap(({ spec }) =>
      (spec.ownsOn ?? []).flatMap(({ kind }) => (isContractKind(kind) ? [kind.contract] : [])),
    ),
  );
  const found = pairs(functions.flatMap(ownedBy), contracts);
  const turns = functions.flatMap(turnsOf);
  return [
    ...found
      .filter((pair) => !turns.some(({ isAbout }) => isAbout(pair)))
      .map(([a, b]) => `${a.by} and ${b.by} write ${a.kind} ${a.field}: declare inTurnWith, with the reason`),
    ...turns
      .filter(({ isAbout, reason }) => reason.length < 20 || !found.some(isAbout))
      .map(({ text }) => `${text}: they do not write it both, or no reason is given`),
  ];
}

/** Returns applied paths of one element: an apply has no place for it. */
export function appliedElements(functions: readonly AnyFunction[]): readonly string[] {
  return functions.flatMap(({ spec }) => spec.owns).filter((field) => field.includes("["));
}

/** Returns applied paths outside of the status: an object's main document is only patched. */
export function appliedOutsideStatus(functions: readonly AnyFunction[]): readonly string[] {
  return functions.flatMap(({ spec }) => spec.owns).filter((field) => segmentsOf(field)[0] !== "status");
}
