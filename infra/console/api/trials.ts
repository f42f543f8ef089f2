import * as z from "zod";
import { VERDICTS } from "../../operate/replay/verdict.ts";
import { answerShape, listOf, pageQueryShape, type Shape, timeSchema } from "./page.ts";

/** How the key of a letter would end with the functions that this console has. */
export const verdictSchema = z.enum(VERDICTS);

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
