import * as z from "zod";
import { explainedSchema, rootCauseSchema } from "./explained.ts";
import { answerShape, listOf, pageQueryShape, type Shape } from "./page.ts";

/** Some 1 MB of rows. */
export const MAX_MANAGERS = 5_000;

export const objectSchema = z.object({
  ...answerShape,
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  /** The Cluster that it belongs to. */
  cluster: z.object({ namespace: z.string(), name: z.string() }).optional(),
  tree: explainedSchema,
  causes: z.array(rootCauseSchema),
  /** Commands that show the same in a terminal. */
  commands: z.array(z.string()),
});
export type ObjectAnswer = Shape<typeof objectSchema>;

/** Fields by manager: read live, with the rights of the viewer: `capstan fields -o json`. Sorted by field. */
export const managersSchema = z.object({
  ...answerShape,
  items: z
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
  /** Rows behind these. */
  more: z.int(),
});
export type Managers = Shape<typeof managersSchema>;

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
