import type { KubeObject } from "../../../shared/api/kinds.ts";
import { decodeJson, type JsonBounds, JsonTooLarge } from "./decode-json.ts";
import { type RequestSubject, undecodable } from "./errors.ts";
import { isObject, isText, problemOf } from "./kind-shapes.ts";

/** S-14. A page of a list may be longer, each of its objects may not. */
export const OBJECT_LIMIT_BYTES = 10 * 1024 * 1024;

/** The bounds for the management server: it is trusted, but a long answer must not delay the other servers. */
export const TRUSTED: JsonBounds = {
  maxDepth: Number.POSITIVE_INFINITY,
  maxItemLength: Number.POSITIVE_INFINITY,
  maxItemValues: Number.POSITIVE_INFINITY,
  maxValues: Number.POSITIVE_INFINITY,
  maxItems: Number.POSITIVE_INFINITY,
};
/**
 * The bounds for workload servers (S-14). Later code may walk an object by recursion, and parsing one takes 50 ms at
 * most. Real objects have about 20 levels and 10,000 values.
 */
export const UNTRUSTED: JsonBounds = {
  maxDepth: 64,
  maxItemLength: OBJECT_LIMIT_BYTES,
  maxItemValues: 200_000,
  // A page of 500 Nodes has about 200,000.
  maxValues: 2_000_000,
  maxItems: 200_000,
};

export interface Decoding {
  readonly bounds: JsonBounds;
  /** Called between two pieces of work. */
  readonly pause: () => Promise<void> | undefined;
}

/** The body of a list. Items of built-in kinds come without apiVersion and kind. */
export interface ListBody {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items?: readonly KubeObject[] | null;
  /** Length of its text. */
  readonly bytes: number;
}

const NOTHING = { apiVersion: "v1", kind: "Status" } as KubeObject;

/** Returns the object in an answer. Throws KubeError `Undecodable`, `TooDeep`, `TooLarge`. */
export async function objectOf(
  text: string,
  subject: RequestSubject,
  decoding: Decoding,
): Promise<KubeObject> {
  // A deletion may be answered with a Status; Cluster API's in-memory workload servers answer it with nothing.
  if (text === "" && subject.verb === "delete") return NOTHING;
  const answer = await answerOf(text, subject, decoding);
  const problem = answer["kind"] === "Status" ? undefined : problemOf(answer, subject.kind);
  if (problem !== undefined) throw undecodable(subject, `the answer is malformed: ${problem}`);
  return answer as unknown as KubeObject;
}

/** Returns the page of a list in an answer. Throws KubeError like `objectOf`. */
export async function listOf(text: string, subject: RequestSubject, decoding: Decoding): Promise<ListBody> {
  const { metadata, items = null, ...list } = await answerOf(text, subject, decoding);
  const malformed = (problem: string) => undecodable(subject, `the list is malformed: ${problem}`);
  if (!isObject(metadata) || !isText(metadata["resourceVersion"])) {
    throw malformed("metadata.resourceVersion is missing or not a text");
  }
  if (metadata["continue"] !== undefined && !isText(metadata["continue"])) {
    throw malformed("metadata.continue is not a text");
  }
  if (items !== null && !Array.isArray(items)) throw malformed("items is not a list");
  for (const item of items ?? []) {
    const problem = problemOf(item, subject.kind);
    if (problem !== undefined) throw undecodable(subject, `an item of the list is malformed: ${problem}`);
    await decoding.pause();
  }
  return { ...list, metadata, items, bytes: text.length } as unknown as ListBody;
}

/** Returns an answer that is a Kubernetes object of any kind. */
export async function answerOf(text: string, subject: RequestSubject, decoding: Decoding) {
  const parsed = await parseAnswer(text, subject, decoding);
  if (isObject(parsed) && isText(parsed["kind"])) return parsed;
  // Mostly HTML of a proxy.
  throw undecodable(
    subject,
    "the answer is not a Kubernetes object; check that this is the address of an API server",
  );
}

/** Parses an answer; undefined when it is not JSON. Throws KubeError when it exceeds the bounds. */
export async function parseAnswer(
  text: string,
  subject: RequestSubject,
  { bounds, pause }: Decoding,
): Promise<unknown> {
  try {
    return await decodeJson(text, bounds, pause);
  } catch (error) {
    if (!(error instanceof JsonTooLarge)) return undefined;
    throw undecodable(subject, error.message, error.isTooDeep ? "TooDeep" : "TooLarge");
  }
}
