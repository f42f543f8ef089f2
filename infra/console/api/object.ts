import * as z from "zod";
import { explainedSchema, rootCauseSchema } from "./explained.ts";
import { answerShape, type Shape, timeSchema } from "./page.ts";

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

/** Fields by manager: read live, for a viewer who may get the object. */
export const managersSchema = z.object({
  ...answerShape,
  items: z.array(z.object({ manager: z.string(), field: z.string(), at: timeSchema })),
});
export type Managers = Shape<typeof managersSchema>;
