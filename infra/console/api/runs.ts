import * as z from "zod";
import { listOf, pageQueryShape, placeSchema, type Shape, timeSchema } from "./page.ts";

export const failureSchema = z.object({ class: z.string(), reason: z.string(), message: z.string() });

export const causeSchema = z.object({
  /** `MachinePool default/p1`, `timer`, `resync`, `requeue by ann`. */
  what: z.string(),
  resourceVersion: z.string().optional(),
  traceparent: z.string().optional(),
});

const writtenSchema = z.object({
  verb: z.enum(["create", "patch", "evict", "apply", "delete"]),
  /** `management`, or NAMESPACE/NAME of the Cluster of a workload server. */
  cluster: z.string(),
  /** The object as in the causes of the runs that it caused: `MachinePool default/p1`. */
  what: z.string(),
  subresource: z.literal("status").optional(),
  resourceVersion: z.string().optional(),
  changes: z.array(
    z.object({
      /** `status.conditions[Ready].status`. */
      path: z.string(),
      /** Only numbers, booleans, phases, status and reason of conditions. */
      value: z.union([z.string(), z.number(), z.boolean()]).optional(),
      removed: z.literal(true).optional(),
    }),
  ),
  moreChanges: z.int().optional(),
});

/** One run of a function for a key, or equal idle runs in one: the members of RunEntry (shared/runtime/letters/run-history.ts). */
export const runEntrySchema = z.object({
  runId: z.string(),
  endedAt: timeSchema,
  durationMs: z.number(),
  /** Newest first. */
  causes: z.array(causeSchema),
  outcome: z.enum(["ok", "again", "error"]),
  /** The writes; empty: nothing to do. */
  writes: z.array(writtenSchema),
  moreWrites: z.int().optional(),
  /** Inputs of a run that wrote or failed; of a list the kind, its length and its newest version. */
  read: z
    .array(
      z.object({
        what: z.string(),
        /** NAMESPACE/NAME of the Cluster of a workload server; absent: the management cluster. */
        cluster: z.string().optional(),
        resourceVersion: z.string().optional(),
        items: z.int().optional(),
        /** Asked of the server, not of the read model. */
        live: z.literal(true).optional(),
      }),
    )
    .optional(),
  moreRead: z.int().optional(),
  waitingFor: z.string().optional(),
  /** It asked to run again so long after its end. */
  afterMs: z.number().optional(),
  failure: failureSchema.optional(),
  /** Runs that it stands for; absent: 1. */
  times: z.int().optional(),
  /** End of the first of them. */
  since: timeSchema.optional(),
});

const runPlaceSchema = z.object({ function: z.string(), key: z.string(), runId: z.string() });

/** A run with its neighbours in the chain of causes. */
const runSchema = runEntrySchema.extend({
  function: z.string(),
  key: z.string(),
  object: placeSchema.optional(),
  /** The run that wrote the version of each cause, in their order; null: a person, a provider, or forgotten. */
  causedBy: z.array(runPlaceSchema.nullable()),
  /** Runs that its writes caused, newest first, at most 20. */
  caused: z.array(runPlaceSchema),
});
export type Run = Shape<typeof runSchema>;

/** Runs, newest first; of a Cluster those of all its objects. */
export const runsSchema = listOf(runSchema).extend({
  /** History holds nothing that is older. */
  knownSince: timeSchema.optional(),
});
export type Runs = Shape<typeof runsSchema>;

export const runsQuerySchema = z.strictObject({
  ...pageQueryShape,
  function: z.string().max(63).optional(),
  only: z.enum(["failed", "wrote"]).optional(),
});
export type RunsQuery = Shape<typeof runsQuerySchema>;
