import * as z from "zod";
import { SUBJECTS } from "../../operate/explain/problem.ts";
import { type Shape, timeSchema } from "./page.ts";
import { causeSchema, failureSchema, runEntrySchema } from "./runs.ts";

/** Where a key stands that is not idle. */
export const keyStateSchema = z.object({
  state: z.enum(["waiting", "ready", "running", "dead"]),
  since: timeSchema.optional(),
  until: timeSchema.optional(),
  owner: z.string().optional(),
  causes: z.array(causeSchema),
  /** Failures in a row. */
  failures: z.int(),
  failure: failureSchema.optional(),
});

const stepNowSchema = z.object({
  /** The writes; empty: the function would not change anything. */
  wouldSend: z.array(z.string()),
  waitsFor: z
    .object({
      what: z.string(),
      object: z.string().optional(),
      field: z.string().optional(),
      value: z.unknown().optional(),
      isGoing: z.boolean().optional(),
      reason: z.string().optional(),
    })
    .optional(),
  againAfterMs: z.number().optional(),
  why: z.string().optional(),
  notListed: z.boolean().optional(),
  /** The result depends on snapshots that are old, and why they are. */
  old: z.string().optional(),
  /** The result depends on a live read, which the console does not make. */
  notRead: z.string().optional(),
  failure: failureSchema.optional(),
});

const letterHeadSchema = z.object({
  function: z.string(),
  key: z.string(),
  tenant: z.string(),
  class: z.enum(["live", "resync"]),
  reason: z.string(),
  deadSince: timeSchema,
  firstFailureAt: timeSchema,
  times: z.int(),
  error: failureSchema,
});

const explainedFunctionSchema = z.object({
  function: z.string(),
  key: z.string(),
  now: stepNowSchema,
  history: z.object({ state: keyStateSchema.optional(), lastRun: runEntrySchema.optional() }).optional(),
  lastWrote: z.object({ at: timeSchema.optional(), fields: z.array(z.string()) }).optional(),
  deadLetter: letterHeadSchema.optional(),
});

/** An object, the state of every function for it, and the objects that belong to it: `capstan explain -o json`. */
export const explainedSchema = z.object({
  /** `MachinePool default/p1`. */
  object: z.string(),
  phase: z.string().optional(),
  nodes: z.string().optional(),
  deletingSince: timeSchema.optional(),
  /** Why the rollout of a MachineDeployment stands still. */
  standsStill: z.string().optional(),
  /** Why its snapshot is old: nothing here shows how it is now. */
  old: z.string().optional(),
  problem: z.string().optional(),
  conditions: z.array(
    z.object({ type: z.string(), status: z.string(), reason: z.string(), message: z.string() }),
  ),
  details: z
    .array(
      z.object({
        about: z.string(),
        lines: z.array(z.string()),
        isProblem: z.boolean().optional(),
        condition: z.string().optional(),
      }),
    )
    .optional(),
  functions: z.array(explainedFunctionSchema),
  get children() {
    return z.array(explainedSchema);
  },
  /** Equal healthy siblings, and those behind the worst 20 of a kind: `983 Machines ready`. */
  more: z.array(z.object({ kind: z.string(), state: z.enum(["ready", "other"]), count: z.int() })),
});
export type Explained = Shape<typeof explainedSchema>;

/** A root that a person has to mend; its consequences are counted. */
export const problemSchema = z.object({
  about: z.enum(SUBJECTS),
  /** `SimBootstrapConfig default/nowhere` */
  object: z.string(),
  definition: z.string().optional(),
  cause: z.string(),
  /** The next step of that person. */
  next: z.string(),
  since: z.string().optional(),
  /** `broken`: waiting does not mend it. `held`: someone holds it up on purpose. */
  severity: z.enum(["broken", "held"]),
  letter: z.object({ function: z.string(), key: z.string() }).optional(),
  consequences: z.int(),
});
