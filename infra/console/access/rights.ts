import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { ResourceAttributes } from "../../worker/diagnostics/reviews.ts";
import type { Right } from "../viewer.ts";

/** API group of the actions. No definition of it is installed: only roles name its resources. */
const ACTION_GROUP = "capstan.dev";

const REQUEUE = {
  group: ACTION_GROUP,
  resource: "deadletters",
  subresource: "requeue",
  verb: "create",
} as const;

/**
 * Requests that stand for each action in roles. A trial is for those who decide what to requeue: it takes a processor of
 * the console, and the place of others. Source: S-42
 */
export const ACTIONS = {
  requeue: REQUEUE,
  try: REQUEUE,
  drop: { group: ACTION_GROUP, resource: "deadletters", verb: "delete" },
  pause: { group: ACTION_GROUP, resource: "functions", subresource: "pause", verb: "update" },
} as const satisfies { readonly [R in Right]: ResourceAttributes };

/** The request that stands for looking: its namespaces are those that a person sees. */
export const LOOKING = {
  group: Cluster.group,
  resource: Cluster.plural,
  verb: "list",
} as const satisfies ResourceAttributes;

/** `at` is the namespace of a letter, or the name of a function to pause; undefined: all of them. */
export function attributesOf(right: Right, at: string | undefined): ResourceAttributes {
  if (at === undefined) return ACTIONS[right];
  return { ...ACTIONS[right], ...(right === "pause" ? { name: at } : { namespace: at }) };
}
