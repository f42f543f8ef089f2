import { type Kind, type KubeObject, refTo } from "../../api/kinds.ts";
import type { Decision } from "../../function/define-function.ts";
import type { LiveReader } from "../../function/reads.ts";
import { done, waitFor } from "../../function/result.ts";
import { isStillOwner } from "../metadata/owner-references.ts";
import { adoptionPatch, awaitedAdoption, type Claim, type Provider, refusal } from "./adoption.ts";

/**
 * Decides `adopt`: one patch per provider object, each judged by itself, so that a problem with one does not stop the
 * others. An object without contract is left alone: it is not known what a write would do to it.
 */
export async function adopt<T extends KubeObject>(
  live: LiveReader,
  { kind, object: owner, claim }: { readonly kind: Kind<T>; readonly object: T; readonly claim: Claim },
  providers: readonly Provider[],
): Promise<Decision<T, never>> {
  const objects = providers.flatMap(({ found }) => (found.state === "found" ? [found] : []));
  const due = objects
    .map((found) => ({ found, operations: adoptionPatch(claim, found) }))
    .filter(({ operations }) => operations.length > 0);
  const adopted = due.map(({ found }) => found.object);
  // The watch of the owner brings the next run.
  if (!(await isStillOwner(live, kind, owner, adopted))) return { result: done };
  const [awaited] = providers.flatMap((provider) => awaitedAdoption(claim, provider) ?? []);
  return {
    patch: due.map(({ found, operations }) => ({ target: refTo(found.kind, found.object), operations })),
    events: objects.flatMap(({ object }) => {
      const message = refusal(claim, object);
      return message === undefined ? [] : [{ type: "Warning", reason: "ControlledByAnother", message }];
    }),
    result: awaited === undefined ? done : waitFor(awaited),
  };
}
