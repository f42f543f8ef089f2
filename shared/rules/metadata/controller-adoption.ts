import { type Kind, type KubeObject, type OwnerReference, refTo } from "../../api/kinds.ts";
import { SECOND } from "../../function/backoff.ts";
import type { GuardedPatch } from "../../function/spec.ts";
import { ownerReferencePatch } from "./owner-references.ts";

/** An adoption that the server refuses is tried again after this: no watch shows when it would be accepted. */
const ADOPT_AGAIN_MS = 15 * SECOND;

/** Returns the patch by which a controller takes over an object, with its Events. */
export function controllerAdoption(kind: Kind, object: KubeObject, controller: OwnerReference): GuardedPatch {
  const what = `${kind.kind} "${object.metadata.name}"`;
  return {
    target: refTo(kind, object),
    operations: ownerReferencePatch(object, controller),
    ifFails: { event: "FailedAdopt", againAfterMs: ADOPT_AGAIN_MS, says: `Failed to adopt ${what}` },
    announces: { type: "Normal", reason: "SuccessfulAdopt", message: `Adopted ${what}` },
  };
}
