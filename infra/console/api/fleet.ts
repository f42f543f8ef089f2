import * as z from "zod";
import { listOf, pageQueryShape, type Shape, timeSchema } from "./page.ts";

/** Worst first: also the order of the list. */
export const CLUSTER_STATES = [
  "dead",
  "failing",
  "unreachable",
  "waiting",
  "unknown",
  "progressing",
  "deleting",
  "paused",
  "healthy",
] as const;
const clusterStateSchema = z.enum(CLUSTER_STATES);
export type ClusterState = Shape<typeof clusterStateSchema>;

const fleetItemSchema = z.object({
  namespace: z.string(),
  name: z.string(),
  state: clusterStateSchema,
  /** In words: `machine-node has failed 5 times: kubeconfig Secret default/c1-kubeconfig is missing`. */
  reason: z.string().optional(),
  /** Since when it is in this state. */
  since: timeSchema.optional(),
  phase: z.string().optional(),
  version: z.string().optional(),
  machines: z.object({ desired: z.int(), ready: z.int() }),
  deadLetters: z.int(),
  /** Functions of its objects whose last run failed. */
  failing: z.int(),
  /** The key behind a reason of `dead` and `failing`. */
  about: z.object({ function: z.string(), key: z.string() }).optional(),
});
export type FleetItem = Shape<typeof fleetItemSchema>;

/** The Clusters that the viewer may see, worst first. */
export const fleetSchema = listOf(fleetItemSchema).extend({
  /** Of all that match namespace and q, whatever the state. */
  counts: z.record(clusterStateSchema, z.int()),
  total: z.int(),
});
export type Fleet = Shape<typeof fleetSchema>;

export const fleetQuerySchema = z.strictObject({
  ...pageQueryShape,
  state: clusterStateSchema.optional(),
  namespace: z.string().max(253).optional(),
  /** Part of a name, of a reason, or of a version. */
  q: z.string().max(200).optional(),
});
