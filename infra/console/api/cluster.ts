import * as z from "zod";
import { explainedSchema, problemSchema } from "./explained.ts";
import { answerShape, type Shape } from "./page.ts";

export const clusterSchema = z.object({
  ...answerShape,
  namespace: z.string(),
  name: z.string(),
  tree: explainedSchema,
  causes: z.array(problemSchema),
});
export type ClusterAnswer = Shape<typeof clusterSchema>;
