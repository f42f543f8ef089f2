import * as z from "zod";
import { answerShape, listOf, pageQueryShape, placeSchema, type Shape, timeSchema } from "./page.ts";

/** `capstan dlq list -o json`. */
const letterItemSchema = z.object({
  function: z.string(),
  key: z.string(),
  /**
   * `dead` until an event or a person revives the key; `revived` while it waits for a run or fails again; then `resolved`;
   * `unknown` where the queue cannot be asked.
   */
  state: z.enum(["dead", "revived", "resolved", "unknown"]),
  reason: z.string(),
  error: z.string(),
  deadSince: timeSchema,
  times: z.int(),
  /** Whether there is a letter; false: the key is dead, and its letter is gone or was never written. */
  recorded: z.boolean(),
});
export type LetterItem = Shape<typeof letterItemSchema>;

const letterGroupSchema = z.object({
  /** Opaque; the same while function and error are. */
  id: z.string(),
  function: z.string(),
  reason: z.string(),
  /** Error without the names in it. */
  error: z.string(),
  count: z.int(),
  /** Keys among them that are still dead: a letter stays when its key was requeued. Absent where the queue was not asked. */
  dead: z.int().optional(),
  oldest: timeSchema,
  newest: timeSchema,
  examples: z.array(z.string()).max(3),
});

export const lettersSchema = listOf(letterItemSchema).extend({
  /** The group of `?group=`: all of it, whatever stands on this page. */
  group: letterGroupSchema.optional(),
});
export type Letters = Shape<typeof lettersSchema>;

export const lettersQuerySchema = z.strictObject({
  ...pageQueryShape,
  function: z.string().max(63).optional(),
  /** Id of a group. */
  group: z.string().max(64).optional(),
});

/** Letters with one cause: same function, same error but for names. Most dead keys first: `capstan dlq groups -o json`. */
export const letterGroupsSchema = listOf(letterGroupSchema).extend({
  /** Letters in none of them, because there are too many different errors. */
  ungrouped: z.int(),
});
export type LetterGroups = Shape<typeof letterGroupsSchema>;

export const letterGroupsQuerySchema = z.strictObject({
  ...pageQueryShape,
  function: z.string().max(63).optional(),
});

export const letterSchema = z.object({
  ...answerShape,
  head: letterItemSchema,
  /** The letter as `capstan dlq show -o json` has it: redacted when it was recorded. */
  letter: z.record(z.string(), z.unknown()).optional(),
  object: placeSchema.optional(),
  /** Commands that show and replay it. */
  commands: z.array(z.string()),
});
export type LetterAnswer = Shape<typeof letterSchema>;

const decidedSchema = z.object({
  digest: z.string(),
  result: z.string(),
  /** It came to a decision that is not a failure. */
  ok: z.boolean(),
  requests: z.array(z.object({ title: z.string(), body: z.unknown().optional() })),
});

/** A replay of one letter, offline, cut off after 2 s or 256 MiB. */
export const replaySchema = z.object({
  ...answerShape,
  verdict: z.enum(["reproduced", "different", "not replayable", "cut"]),
  /** The reason of `not replayable` and `cut`, and when there are more lines than these. */
  why: z.string().optional(),
  recorded: decidedSchema.optional(),
  replayed: decidedSchema.optional(),
  /** The run then and now side by side. */
  lines: z
    .array(z.object({ left: z.string().optional(), right: z.string().optional(), same: z.boolean() }))
    .optional(),
});
export type ReplayAnswer = Shape<typeof replaySchema>;
