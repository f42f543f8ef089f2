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
  /** The reason in words: `machine-node has failed 5 times: kubeconfig Secret default/c1-kubeconfig is missing`. */
  reason: z.string().optional(),
  /** The time since when it is in this state. */
  since: timeSchema.optional(),
  phase: z.string().optional(),
  version: z.string().optional(),
  /** Kind of its infrastructure: `AWSCluster`. */
  provider: z.string().optional(),
  machines: z.object({ desired: z.int(), ready: z.int() }),
  deadLetters: z.int(),
  /** Functions of its objects whose last run failed. */
  failing: z.int(),
  /** The key behind a reason of `dead` and `failing`. */
  about: z.object({ function: z.string(), key: z.string() }).optional(),
});
export type FleetItem = Shape<typeof fleetItemSchema>;

/** Clusters in one state for one reason; of several, the one that has been in it for the longest. */
const needSchema = fleetItemSchema.extend({ count: z.int() });
export type Need = Shape<typeof needSchema>;

export const MAX_NEEDS = 20;

/** Orders of the list beside the worst first. */
const FLEET_ORDERS = ["name", "namespace", "version", "provider", "machines"] as const;
export type FleetOrder = (typeof FLEET_ORDERS)[number];

/** The Clusters that the viewer may see, worst first or in the order that is asked for. */
export const fleetSchema = listOf(fleetItemSchema).extend({
  /** Clusters that need a person, whatever the order and the page: Clusters of one reason are one entry. Worst first. */
  needs: z.array(needSchema).max(MAX_NEEDS),
  /** The counts of all that match namespace and q, whatever the state. */
  counts: z.record(clusterStateSchema, z.int()),
  total: z.int(),
});
export type Fleet = Shape<typeof fleetSchema>;

export const fleetQuerySchema = z.strictObject({
  ...pageQueryShape,
  state: clusterStateSchema.optional(),
  namespace: z.string().max(253).optional(),
  version: z.string().max(64).optional(),
  provider: z.string().max(64).optional(),
  /** NAMESPACE/NAME of a Cluster: those in the same state for the same reason. */
  like: z.string().max(507).optional(),
  sort: z.enum(FLEET_ORDERS).optional(),
  /** Part of a name, of a reason, of a version, or of a provider. */
  q: z.string().max(200).optional(),
});
