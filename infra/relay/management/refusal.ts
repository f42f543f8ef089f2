import { KubeError } from "../../../shared/function/errors.ts";
import { missingRight, refusalText, remedyText } from "../../../shared/function/missing-right.ts";
import type { Store, TypeKey } from "../../../shared/runtime/ports.ts";

/** The words of a server that cannot convert what it has stored. */
const UNCONVERTED = "conversion webhook for ";

/**
 * Notes in the read model that the server lets this relay not list a type, or cannot: the conversion webhook of its
 * provider is away. Runs that wait for the list say so, since nothing else shows it to a person who looks at an object.
 * Other failures end by themselves. Every failed attempt notes it again, for the read model may have been lost.
 */
export function noteRefusal(store: Pick<Store, "advance">, type: TypeKey, error: unknown): void {
  if (!(error instanceof KubeError)) return;
  if (error.status !== 403 && !error.message.includes(UNCONVERTED)) return;
  store.advance(type, { refusal: refusalIn(error.message) }).catch(() => undefined);
}

/** A watch may begin with everything, or follow a list: whichever was refused, both are needed. */
function refusalIn(message: string): string {
  const right = missingRight(message);
  if (right === undefined) return message;
  return [
    refusalText({ ...right, verb: "list" }),
    remedyText({ ...right, verb: "get,list,watch" }),
    "for all that the providers here need: capstan rbac --from-cluster",
  ].join("; ");
}
