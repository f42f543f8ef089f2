import * as z from "zod";
import { answerShape, type Shape } from "./page.ts";
import { placeSchema } from "./place.ts";

export const searchSchema = z.object({
  ...answerShape,
  /** Best first. */
  items: z.array(z.object({ place: placeSchema, title: z.string(), hint: z.string().optional() })).max(20),
});
export type SearchAnswer = Shape<typeof searchSchema>;

/** Part of a name: of a Cluster, a function or a key; of an object NAMESPACE/NAME. */
export const searchQuerySchema = z.strictObject({ q: z.string().min(1).max(200) });
