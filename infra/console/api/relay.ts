import * as z from "zod";
import { answerShape, MAX_ITEMS, type Shape, timeSchema } from "./page.ts";

const watchSchema = z.object({
  name: z.string(),
  state: z.enum(["listing", "streaming", "backoff", "stopped"]),
  lists: z.int(),
  resourceVersion: z.string().optional(),
  /** Events that wait for the consumer. */
  pending: z.int(),
  undecodable: z.int(),
  /** The reconnects by cause. */
  reconnects: z.record(z.string(), z.int()),
  oversized: z.string().optional(),
});

const processSchema = z.object({
  id: z.string(),
  role: z.string(),
  version: z.string(),
  ready: z.boolean(),
  /** Why it is not ready. */
  reasons: z.array(z.string()),
  functions: z.array(z.string()),
  /** Runs in progress. */
  running: z.int().optional(),
  seenAt: timeSchema,
  watches: z.array(watchSchema).optional(),
});

const connectionSchema = z.object({
  namespace: z.string(),
  name: z.string(),
  state: z.string(),
  reason: z.string().optional(),
  since: timeSchema.optional(),
});

export const relaySchema = z.object({
  ...answerShape,
  processes: z.array(processSchema).max(MAX_ITEMS),
  /** Connections to workload clusters with a problem, longest first. */
  connections: z.array(connectionSchema).max(MAX_ITEMS),
  /** Number of the other ones; only for those who see all namespaces. */
  connected: z.int().optional(),
});
export type RelayAnswer = Shape<typeof relaySchema>;
