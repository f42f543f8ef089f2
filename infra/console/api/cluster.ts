import * as z from "zod";
import { explainedSchema, rootCauseSchema } from "./explained.ts";
import { answerShape, listOf, pageQueryShape, type Shape } from "./page.ts";

export const clusterSchema = z.object({
  ...answerShape,
  namespace: z.string(),
  name: z.string(),
  tree: explainedSchema,
  causes: z.array(rootCauseSchema),
});
export type ClusterAnswer = Shape<typeof clusterSchema>;

/** All objects of one kind of a Cluster, worst first. */
export const clusterObjectsSchema = listOf(
  z.object({
    kind: z.string(),
    namespace: z.string(),
    name: z.string(),
    phase: z.string().optional(),
    problem: z.string().optional(),
    isReady: z.boolean(),
  }),
);
export type ClusterObjects = Shape<typeof clusterObjectsSchema>;

export const clusterObjectsQuerySchema = z.strictObject({ ...pageQueryShape, kind: z.string().max(63) });
export type ClusterObjectsQuery = Shape<typeof clusterObjectsQuerySchema>;
