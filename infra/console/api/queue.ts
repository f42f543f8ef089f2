import * as z from "zod";
import { keyStateSchema } from "./explained.ts";
import {
  answerShape,
  listOf,
  MAX_ITEMS,
  pageQueryShape,
  placeSchema,
  type Shape,
  timeSchema,
} from "./page.ts";

const countsShape = { ready: z.int(), waiting: z.int(), running: z.int(), dead: z.int() } as const;

/** The keys of one function: `capstan queue -o json`. */
const queueItemSchema = z.object({
  function: z.string(),
  ...countsShape,
  readyResync: z.int().optional(),
  nextDueMs: z.number().optional(),
  tickLagMs: z.number().optional(),
  oldestReadyMs: z.object({ live: z.number().optional(), resync: z.number().optional() }).optional(),
  paused: z.boolean().optional(),
  pausedInBullmq: z.boolean().optional(),
  breakerOpen: z.boolean().optional(),
  /** No process that gives a sign of life serves the function. */
  unserved: z.boolean().optional(),
  deadEvicted: z.int().optional(),
  tenants: z.record(z.string(), z.object({ ...countsShape, readyResync: z.int().optional() })).optional(),
  lastMinute: z.object({ runs: z.int(), busyMs: z.number() }).optional(),
});
export type QueueItem = Shape<typeof queueItemSchema>;

export const queueSchema = z.object({
  ...answerShape,
  items: z.array(queueItemSchema).max(MAX_ITEMS),
  /** Whether the counts are of all namespaces, not of those that the viewer sees, without ages and rates. */
  all: z.boolean(),
});
export type QueueAnswer = Shape<typeof queueSchema>;

/** The last hour of a function, a row per `stepMs`; null where nothing is known. */
export const samplesSchema = z.object({
  ...answerShape,
  function: z.string(),
  stepMs: z.int(),
  /** The time of the first row. */
  from: timeSchema,
  ready: z.array(z.int().nullable()),
  waiting: z.array(z.int().nullable()),
  running: z.array(z.int().nullable()),
  dead: z.array(z.int().nullable()),
  /** How long the oldest ready key had been ready. */
  oldestReadyMs: z.array(z.number().nullable()),
  /** The runs within the step before; null also for the first row after a gap. */
  runs: z.array(z.int().nullable()),
  failures: z.array(z.int().nullable()),
  p50Ms: z.array(z.number().nullable()),
  p99Ms: z.array(z.number().nullable()),
});
export type SamplesAnswer = Shape<typeof samplesSchema>;

/** How long the runs of each function took in the last minute; without numbers where none has ended. */
export const durationsSchema = z.object({
  ...answerShape,
  items: z
    .array(
      z.object({
        function: z.string(),
        runs: z.int().optional(),
        /** The time than which half of the runs, and then 99 of 100, took no longer. */
        p50Ms: z.number().optional(),
        p99Ms: z.number().optional(),
      }),
    )
    .max(MAX_ITEMS),
});
export type Durations = Shape<typeof durationsSchema>;

/** Tenants with the most keys that are not idle. */
export const tenantsSchema = z.object({
  ...answerShape,
  items: z
    .array(z.object({ tenant: z.string(), ...countsShape, readyResync: z.int().optional() }))
    .max(MAX_ITEMS),
});
export type Tenants = Shape<typeof tenantsSchema>;

/** Keys in one state: those that move first come first. */
export const keysSchema = listOf(
  keyStateSchema.extend({ key: z.string(), object: placeSchema.optional() }),
).extend({ function: z.string() });
export type Keys = Shape<typeof keysSchema>;

export const keysQuerySchema = z.strictObject({
  ...pageQueryShape,
  state: keyStateSchema.shape.state.default("dead"),
  tenant: z.string().max(480).optional(),
});
