import type { ContractReference, Kind } from "../api/kinds.ts";
import type { ContractKind } from "../contract/contract-kind.ts";
import { type AnyFunction, describeReference, isContractKind } from "../function/define-function.ts";
import { assert } from "../function/errors.ts";

/** Reading a kind that a function does not watch is a bug: nothing would wake it. */
export function demandWatched({ name, reconciles, watches }: AnyFunction["spec"], kind: Kind): void {
  const watched = [reconciles, ...watches.map(({ on }) => on)].some(
    (on) => isKind(on, kind) || mayBeAnnounced(on, kind, reconciles),
  );
  assert(watched, `${name} reads ${kind.kind}, which it does not watch`);
}

export function demandContractWatched(
  { name, watches }: AnyFunction["spec"],
  reference: ContractReference,
): void {
  const watched = watches.some(({ on }) => isContractKind(on));
  assert(watched, `${name} reads ${describeReference(reference)} and watches no provider object`);
}

export function demandLiveDeclared(
  { name, reconciles, watches, readsLive = [] }: AnyFunction["spec"],
  kind: Kind,
): void {
  const declared = [reconciles, ...watches.map(({ on }) => on), ...readsLive];
  const known = declared.some((on) => isContractKind(on) || isKind(on, kind));
  assert(known, `${name} reads ${kind.kind} live, which it neither watches nor declares`);
}

/** Which kind it is, only provider objects say: any that is not of Cluster API's own group. */
function mayBeAnnounced(on: Kind | ContractKind, kind: Kind, reconciles: Kind): boolean {
  return isContractKind(on) && on.announcedBy !== undefined && kind.group !== reconciles.group;
}

function isKind(on: Kind | ContractKind, kind: Kind): boolean {
  return !isContractKind(on) && on.group === kind.group && on.kind === kind.kind;
}
