import * as z from "zod";
import { VERDICTS } from "../../operate/replay/verdict.ts";
import { answerShape, listOf, pageQueryShape, type Shape, timeSchema } from "./page.ts";

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

/** How the key of a letter would end with the functions that this console has. */
const verdictSchema = z.enum(VERDICTS);

/** Keys as they were shown: one that has changed since is left alone. */
const shownKeysSchema = z
  .array(z.strictObject({ key: z.string().min(1).max(480), ...seenLetterSchema.shape }))
  .min(1)
  .max(MAX_KEYS);

export const jobRequestSchema = z.strictObject({
  action: z.enum(["requeue", "drop"]),
  function: z.string().max(63),
  select: z.union([
    z.strictObject({ keys: shownKeysSchema }),
    /** Id of a group: the letters that are in it now. */
    z.strictObject({ group: z.string().min(1).max(64) }),
    /** Id of a trial: the letters that it judged so, as they were when they were tried. */
    z.strictObject({ trial: z.string().min(1).max(64), verdict: verdictSchema }),
  ]),
  /** Number of keys that was shown: 412 when there are more or fewer now. */
  count: z.int().min(1),
  /** The confirmation of an action on over 100 keys: the name of the function, typed by the person. */
  confirm: z.string().max(63).optional(),
});
export type JobRequest = Shape<typeof jobRequestSchema>;

/** An object without members. */
export const nothingSchema = z.strictObject({});

/** A bulk action that runs on the server, 10 keys a second. */
export const jobSchema = z.object({
  ...answerShape,
  id: z.string(),
  action: z.enum(["requeue", "drop"]),
  function: z.string(),
  state: z.enum(["running", "stopped", "done", "failed"]),
  by: z.string(),
  /** The group or the trial that it was started for. */
  of: z.union([z.object({ group: z.string() }), z.object({ trial: z.string() })]).optional(),
  startedAt: timeSchema,
  endedAt: timeSchema.optional(),
  total: z.int(),
  done: z.int(),
  /** Changed since they were shown: left alone. */
  changed: z.int(),
  /** The message of `failed`: why, and the next step. */
  message: z.string().optional(),
});
export type Job = Shape<typeof jobSchema>;

export const jobsSchema = listOf(jobSchema.omit({ asOf: true, stale: true }));
export type Jobs = Shape<typeof jobsSchema>;

/** Letters to replay offline: those of a function, or of one of its groups. */
export const trialRequestSchema = z.strictObject({
  function: z.string().max(63),
  /** Id of a group. */
  group: z.string().min(1).max(64).optional(),
});

/** A replay of many letters, offline, one after the other. Nothing is sent and nothing changes. */
export const trialSchema = z.object({
  ...answerShape,
  id: z.string(),
  function: z.string(),
  group: z.string().optional(),
  state: z.enum(["running", "stopped", "done", "failed"]),
  by: z.string(),
  startedAt: timeSchema,
  endedAt: timeSchema.optional(),
  total: z.int(),
  tried: z.int(),
  verdicts: z.record(verdictSchema, z.int()),
  /** The message of `failed`: why, and the next step. */
  message: z.string().optional(),
});
export type Trial = Shape<typeof trialSchema>;

/** The trials since this process started, the newest first. */
export const trialsSchema = listOf(trialSchema.omit({ asOf: true, stale: true }));
export type Trials = Shape<typeof trialsSchema>;

/** How each letter would end, as far as they are tried: the items of `capstan dlq try -o json`. */
export const triedLettersSchema = listOf(
  z.object({
    function: z.string(),
    key: z.string(),
    /** The time of death of the letter that was tried. */
    deadSince: timeSchema,
    times: z.int(),
    verdict: verdictSchema,
    /** The reason; absent when it succeeds. */
    why: z.string().optional(),
  }),
);
export type TriedLetters = Shape<typeof triedLettersSchema>;

export const triedLettersQuerySchema = z.strictObject({
  ...pageQueryShape,
  verdict: verdictSchema.optional(),
});
