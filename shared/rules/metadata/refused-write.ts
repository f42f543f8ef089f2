import type { KubeObject } from "../../api/kinds.ts";
import type { PatchOperation } from "../../api/patch.ts";
import { escapePointer } from "../../api/path.ts";
import { annotationsPatch } from "./labels.ts";

/**
 * The annotation on an object whose function makes other objects: the function and the words with which the API server
 * has refused the last one. Only the run that was refused knows them; the function of the status says them in a
 * condition.
 */
const REFUSED = "capstan.dev/refused";
/** The field that `refusedWrite` reads and `refusedPatch` writes. */
export const REFUSED_FIELDS = [`metadata.annotations[${REFUSED}]`] as const;

const MAX_CHARACTERS = 4 * 1024;
/** `create Machine default/demo-abc12: machines.cluster.x-k8s.io "demo-abc12" is forbidden: …` */
const NAMED = /^(\w+ \w+) [^\s:]+: (?:([\w.-]+ )"[^"]*" )?/;

/** Returns why the API server refuses what the functions of an object make; undefined: it refuses nothing. */
export function refusedWrite({ metadata }: KubeObject): string | undefined {
  const text = metadata.annotations?.[REFUSED];
  if (text === undefined) return undefined;
  const start = text.indexOf(": ");
  return text.slice(start < 0 ? 0 : start + 2).slice(0, MAX_CHARACTERS);
}

/** The same as a list, for messages that name several reasons. */
export function refusedReasons(object: KubeObject): readonly string[] {
  const message = refusedWrite(object);
  return message === undefined ? [] : [`The API server refuses to ${message}`];
}

/** Operations that note what was refused to a function, or that nothing is any more; none when that is noted already. */
export function refusedPatch(
  object: KubeObject,
  functionName: string,
  message: string | undefined,
): readonly PatchOperation[] {
  const present = object.metadata.annotations?.[REFUSED];
  if (message !== undefined) {
    // The name is another one for each object of a run: with it, each attempt would change the object.
    const words = message.replace(NAMED, "$1: $2").slice(0, MAX_CHARACTERS);
    return annotationsPatch(object, { [REFUSED]: `${functionName}: ${words}` });
  }
  const isOwn = present?.startsWith(`${functionName}: `) === true;
  return isOwn ? [{ op: "remove", path: `/metadata/annotations/${escapePointer(REFUSED)}` }] : [];
}
