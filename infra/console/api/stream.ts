import * as z from "zod";
import { errorSchema } from "./error.ts";
import { type Shape, timeSchema } from "./page.ts";

/**
 * One event of the stream, JSON in one line of `data:`. A topic is a GET below /api/v1 with its query:
 * `queue`, `fleet?state=dead&limit=50`. A message holds the whole answer, so nothing is lost and nothing comes twice.
 */
export const streamMessageSchema = z.discriminatedUnion("type", [
  /** The state of a topic: at most one per topic and second, and only with another ETag than before. */
  z.object({ type: z.literal("state"), topic: z.string(), etag: z.string(), body: z.unknown() }),
  /** The answer of the topic is an error now; the stream continues. */
  z.object({ type: z.literal("error"), topic: z.string(), error: errorSchema }),
  /** The rights of the viewer changed: forget all that is shown. The states of all topics follow. */
  z.object({ type: z.literal("reset"), reason: z.string() }),
  /** The last one: the session ended, or the right was withdrawn. */
  z.object({ type: z.literal("end"), error: errorSchema }),
  z.object({ type: z.literal("ping"), now: timeSchema }),
]);
export type StreamMessage = Shape<typeof streamMessageSchema>;

export const streamQuerySchema = z.strictObject({
  /** The topics, at most 8. */
  topic: z.array(z.string().min(1).max(2_048)).min(1).max(8),
  /** ETags that the page has, in the order of the topics; empty: none. */
  seen: z.array(z.string().max(64)).max(8).default([]),
});
