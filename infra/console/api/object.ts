import * as z from "zod";
import { explainedSchema, problemSchema } from "./explained.ts";
import { answerShape, listOf, pageQueryShape, type Shape } from "./page.ts";

/** Some 1 MB of rows. */
export const MAX_MANAGERS = 5_000;
export const MAX_EVENTS = 20;
/** An object has at most 1.5 MiB; spaces make it longer. */
export const MAX_MANIFEST_CHARS = 4_000_000;

export const objectSchema = z.object({
  ...answerShape,
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  /** The Cluster that it belongs to. */
  cluster: z.object({ namespace: z.string(), name: z.string() }).optional(),
  /** RFC 3339. */
  createdAt: z.string().optional(),
  /** The version of Kubernetes, as the object has or wants it. */
  version: z.string().optional(),
  /** Its controller: `MachineSet default/workers`. */
  owner: z.string().optional(),
  /** `3 of 5, 3 ready`: of a kind that has replicas. */
  replicas: z.string().optional(),
  /** The steps of the rollout of a MachineDeployment: `capstan rollout plan`. */
  rollout: z
    .object({
      /** `3 Machines, surge 1, unavailable 0: at least 3 available, at most 4` */
      limits: z.string(),
      /** The sets now, then the steps: number, change, Machines, counts. */
      rows: z.array(z.array(z.string()).max(4)),
      /** The sums, and how it ends. */
      summary: z.array(z.string()),
    })
    .optional(),
  tree: explainedSchema,
  causes: z.array(problemSchema),
  /** Commands that show the same in a terminal. */
  commands: z.array(z.string()),
});
export type ObjectAnswer = Shape<typeof objectSchema>;

/** An object as the API server has it, read with the rights of the viewer. */
export const liveSchema = z.object({
  ...answerShape,
  /** JSON, without managedFields and secrets. */
  manifest: z.string().max(MAX_MANIFEST_CHARS),
  /** The newest first. */
  events: z
    .array(
      z.object({
        /** `Normal` or `Warning`. */
        type: z.string(),
        reason: z.string(),
        message: z.string(),
        times: z.int(),
        /** The component that reported it. */
        from: z.string(),
        /** When it was last seen, RFC 3339. */
        at: z.string(),
      }),
    )
    .max(MAX_EVENTS),
  /** Why there are none; absent: they were read. */
  eventsMissing: z.string().optional(),
  /** Who wrote each field, sorted by field. */
  managers: z
    .array(
      z.object({
        /** `status.conditions[Ready].status`. */
        field: z.string(),
        manager: z.string(),
        /** `Apply` or `Update`. */
        operation: z.string(),
        /** RFC 3339; empty: the server did not say. */
        time: z.string(),
      }),
    )
    .max(MAX_MANAGERS),
  /** Rows of managers behind these. */
  more: z.int(),
});
export type Live = Shape<typeof liveSchema>;

/** The objects of one kind below an object, worst first: what a tree leaves out, and what it shows. */
export const childrenSchema = listOf(
  z.object({
    kind: z.string(),
    namespace: z.string(),
    name: z.string(),
    phase: z.string().optional(),
    /** Its first bad condition, in words. */
    problem: z.string().optional(),
    isReady: z.boolean(),
  }),
);
export type Children = Shape<typeof childrenSchema>;

export const childrenQuerySchema = z.strictObject({
  ...pageQueryShape,
  /** `Machine`. */
  kind: z.string().min(1).max(63),
  state: explainedSchema.shape.more.element.shape.state.optional(),
});

export const clusterSchema = z.object({
  ...answerShape,
  namespace: z.string(),
  name: z.string(),
  tree: explainedSchema,
  causes: z.array(problemSchema),
});
export type ClusterAnswer = Shape<typeof clusterSchema>;
