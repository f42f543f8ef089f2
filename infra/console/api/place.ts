import * as z from "zod";
import type { Shape } from "./page.ts";

const object = { kind: z.string(), namespace: z.string(), name: z.string() };
const key = { function: z.string(), key: z.string() };

/** Something that has a page. The page makes the link: no URL ever comes from data. */
export const placeSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("cluster"), namespace: z.string(), name: z.string() }),
  z.object({ type: z.literal("object"), ...object }),
  z.object({ type: z.literal("function"), function: z.string() }),
  z.object({ type: z.literal("letter"), ...key }),
  z.object({ type: z.literal("run"), ...key, runId: z.string() }),
]);
export type Place = Shape<typeof placeSchema>;
