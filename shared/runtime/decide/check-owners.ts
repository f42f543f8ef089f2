import { groupOf, type Kind, type KubeObject, type OwnerReference } from "../../api/kinds.ts";
import type { PatchOperation } from "../../api/patch.ts";
import type { AnyDecision, AnyFunction } from "../../function/define-function.ts";
import { assert } from "../../function/errors.ts";

/**
 * Refuses a decision that makes an owner wait for its dependents, of a kind that `blocks` does not name: where the server
 * checks it, the account may not.
 */
export function checkOwners(fn: AnyFunction, decision: AnyDecision): void {
  const { create = [], patch = [], issue = [] } = decision;
  const refused = create.flatMap(({ ifRefused }) => ifRefused ?? []);
  const owners = [
    ...create.flatMap(({ object }) => (object as KubeObject).metadata.ownerReferences ?? []),
    ...[...patch, ...refused].flatMap(({ operations }) => operations.flatMap(placedOwners)),
    ...issue.filter(({ renew }) => renew === undefined).map(({ owner }) => owner),
  ];
  const { name, blocks = [] } = fn.spec;
  for (const owner of owners) {
    const isDeclared = owner.blockOwnerDeletion !== true || blocks.some((kind) => isOf(owner, kind));
    assert(isDeclared, `${name} makes a ${owner.kind} wait for its dependents without declaring it`);
  }
}

function placedOwners(operation: PatchOperation): readonly OwnerReference[] {
  if (!operation.path.startsWith("/metadata/ownerReferences")) return [];
  if (operation.op !== "add" && operation.op !== "replace") return [];
  return [operation.value].flat() as readonly OwnerReference[];
}

function isOf({ apiVersion, kind }: OwnerReference, on: Kind): boolean {
  return kind === on.kind && groupOf(apiVersion) === on.group;
}
