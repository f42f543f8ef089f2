import * as z from "zod";
import { answerShape, listOf, type Shape, timeSchema } from "./page.ts";

/** A function keeps at most so many letters. */
const MAX_KEYS = 10_000;

/** A letter as it was shown: one that has changed since is left alone. */
export const seenLetterSchema = z.strictObject({ deadSince: timeSchema, times: z.int().min(1) });

/** A function as it was shown. */
export const seenPauseSchema = z.strictObject({ paused: z.boolean() });

export const doneSchema = z.object({
  ...answerShape,
  done: z.enum(["requeued", "dropped", "paused", "resumed"]),
  /** The person, as in the log and in the cause of the next run. */
  by: z.string(),
});
export type Done = Shape<typeof doneSchema>;

/** Keys as they were shown: one that has changed since is left alone. */
const shownKeysSchema = z
  .array(z.strictObject({ key: z.string().min(1).max(480), ...seenLetterSchema.shape }))
  .min(1)
  .max(MAX_KEYS);

export const jobRequestSchema = z.strictObject({
  action: z.enum(["requeue", "drop"]),
  function: z.string().max(63),
  select: z.strictObject({ keys: shownKeysSchema }),
  /** Number of keys that was shown. */
  count: z.int().min(1),
  /** Over 100 keys: the name of the function, typed by the person. */
  confirm: z.string().max(63).optional(),
});
export type JobRequest = Shape<typeof jobRequestSchema>;

/** Without members. */
export const nothingSchema = z.strictObject({});

/** A bulk action that runs on the server, 10 keys a second. */
export const jobSchema = z.object({
  ...answerShape,
  id: z.string(),
  action: z.enum(["requeue", "drop"]),
  function: z.string(),
  state: z.enum(["running", "stopped", "done", "failed"]),
  by: z.string(),
  startedAt: timeSchema,
  endedAt: timeSchema.optional(),
  total: z.int(),
  done: z.int(),
  /** Changed since they were shown: left alone. */
  changed: z.int(),
  /** Of `failed`: why, and the next step. */
  message: z.string().optional(),
});
export type Job = Shape<typeof jobSchema>;

export const jobsSchema = listOf(jobSchema.omit({ asOf: true, stale: true }));
export type Jobs = Shape<typeof jobsSchema>;
