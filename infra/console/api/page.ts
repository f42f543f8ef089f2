import * as z from "zod";

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]: Frozen<T[Member]> }
    : T;

/** Values of a schema, which are never mutated. */
export type Shape<S extends z.ZodType> = Frozen<z.infer<S>>;

/** RFC 3339, by the clock of the server. */
export const timeSchema = z.iso.datetime({ offset: true });

/** Data that are old: since when, and why. No part is drawn as healthy because nothing is known about it. */
const staleSchema = z.object({ since: timeSchema.optional(), reason: z.string() });
export type Stale = Shape<typeof staleSchema>;

/** Members of every answer. */
export const answerShape = {
  /** When the data were read. */
  asOf: timeSchema,
  /** The parts that are old; absent where the data are current. Several parts may be old at once. */
  stale: z.array(staleSchema).optional(),
} as const;

export const MAX_ITEMS = 200;

/** One page of a list, at most 200 items. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.object({
    ...answerShape,
    items: z.array(item).max(MAX_ITEMS),
    /** The cursor for `?next=`; absent on the last page. */
    next: z.string().optional(),
  });
}

/** Parameters of every list. */
export const pageQueryShape = {
  limit: z.coerce.number().int().min(1).max(MAX_ITEMS).default(50),
  next: z.string().max(8_192).optional(),
} as const;

const object = { kind: z.string(), namespace: z.string(), name: z.string() };
const key = { function: z.string(), key: z.string() };

/** Something that has a page. The page makes the link: no URL ever comes from data. */
export const placeSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("cluster"), namespace: z.string(), name: z.string() }),
  z.object({ type: z.literal("object"), ...object }),
  z.object({ type: z.literal("function"), function: z.string() }),
  z.object({ type: z.literal("letter"), ...key }),
  z.object({ type: z.literal("run"), ...key, runId: z.string() }),
]);
export type Place = Shape<typeof placeSchema>;

export const searchSchema = z.object({
  ...answerShape,
  /** Best first. */
  items: z.array(z.object({ place: placeSchema, title: z.string(), hint: z.string().optional() })).max(20),
});
export type SearchAnswer = Shape<typeof searchSchema>;

/** Part of a name: of a Cluster, a function or a key; of an object NAMESPACE/NAME. */
export const searchQuerySchema = z.strictObject({ q: z.string().min(1).max(200) });

/** The body of every answer that is not a success. */
export const errorSchema = z.object({
  /** HTTP status. */
  status: z.int(),
  /** CamelCase, stable: `InvalidField`, `Unauthorized`, `Forbidden`, `NotFound`, `Changed`, `Unavailable`, … */
  reason: z.string(),
  /** Condition and cause. */
  message: z.string(),
  /** The next step of the person. */
  next: z.string(),
  /** Parameter, or member of the body. */
  field: z.string().optional(),
  /** The way to sign in, of 401: what this console takes, the link of its terminal or a token of the API server. */
  signIn: z.enum(["link", "token"]).optional(),
  /** The time since when it lasts, of 503. */
  since: timeSchema.optional(),
  /** The object, of 412: the resource as it is now. */
  current: z.unknown().optional(),
});
export type ErrorBody = Shape<typeof errorSchema>;

/**
 * One event of the stream, JSON in one line of `data:`. A topic is a GET below /api/v1 with its query:
 * `queue`, `fleet?state=dead&limit=50`. A message holds the whole answer, so nothing is lost and nothing comes twice.
 */
export const streamMessageSchema = z.discriminatedUnion("type", [
  /** The state of a topic: at most one per topic and second, and only with another ETag than before. */
  z.object({ type: z.literal("state"), topic: z.string(), etag: z.string(), body: z.unknown() }),
  /** The answer of the topic is an error now; the stream continues. */
  z.object({ type: z.literal("error"), topic: z.string(), error: errorSchema }),
  /** The rights of the viewer changed: forget all that is shown. The states of all topics follow. */
  z.object({ type: z.literal("reset"), reason: z.string() }),
  /** The last one: the session ended, or the right was withdrawn. */
  z.object({ type: z.literal("end"), error: errorSchema }),
  z.object({ type: z.literal("ping"), now: timeSchema }),
]);
export type StreamMessage = Shape<typeof streamMessageSchema>;

export const streamQuerySchema = z.strictObject({
  /** The topics, at most 8. */
  topic: z.array(z.string().min(1).max(2_048)).min(1).max(8),
  /** ETags that the page has, in the order of the topics; empty: none. */
  seen: z.array(z.string().max(64)).max(8).default([]),
});
