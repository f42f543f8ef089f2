import { type KubeObject, refTo } from "../../api/kinds.ts";
import type { Decision } from "../../function/define-function.ts";
import { done, type Result, waitFor } from "../../function/result.ts";
import { compareText } from "../conditions/conditions.ts";
import { adoptionPatch, awaitedAdoption, type Claim, type Provider, refusal } from "./adoption.ts";

interface Adopter<T> {
  readonly object: T;
  /** The live view of the step. */
  readonly live: () => Promise<object | { readonly result: Result }>;
  readonly claim: Claim;
}

/**
 * Decides `adopt`: one patch per provider object, each judged by itself, so that a problem with one does not stop the
 * others. An object without contract is left alone: it is not known what a write would do to it.
 */
export async function adopt<T extends KubeObject>(
  { object: owner, live, claim }: Adopter<T>,
  providers: readonly Provider[],
): Promise<Decision<T, never>> {
  const objects = providers.flatMap(({ found }) => (found.state === "found" ? [found] : []));
  const due = objects
    .map((found) => ({ found, operations: adoptionPatch(claim, found) }))
    .filter(({ operations }) => operations.length > 0);
  // The garbage collector deletes an object whose only owner is gone. One that is younger than its owner may have been
  // recreated together with it since the snapshot of the owner was stored: then, and only then, the API server is asked.
  if (due.some(({ found }) => compareText(createdAt(found.object), createdAt(owner)) > 0)) {
    const seen = await live();
    if ("result" in seen) return { result: seen.result };
  }
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

function createdAt({ metadata }: KubeObject): string {
  return metadata.creationTimestamp ?? "";
}
