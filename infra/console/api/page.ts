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
