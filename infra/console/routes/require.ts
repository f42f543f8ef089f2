import { parseKey } from "../../../shared/runtime/queue/key.ts";
import { problem } from "../problem.ts";
import { type Right, sees, type Viewer } from "../viewer.ts";
import { seesKey } from "./keys.ts";

/**
 * Throws the Problem of a viewer who does not see the namespace. It depends on the namespace alone, so it does not say
 * whether anything is there.
 */
export function requireNamespace(viewer: Viewer, namespace: string): void {
  if (sees(viewer, namespace)) return;
  throw problem("forbidden", `${viewer.name} may not list Clusters in this namespace`, BIND);
}

/** The same for the namespace of a key. */
export function requireKey(viewer: Viewer, key: string): void {
  if (seesKey(viewer, key)) return;
  throw problem("forbidden", `${viewer.name} may not list Clusters in the namespace of this key`, BIND);
}
/** Throws the Problem of a viewer of some namespaces: the sums of a whole function would show those of others. */
export function requireAll(viewer: Viewer): void {
  if (viewer.sight === "all") return;
  const next = "bind a ClusterRole with the verb list on clusters.cluster.x-k8s.io, in all namespaces";
  throw problem("forbidden", `${viewer.name} may not list Clusters in all namespaces`, next);
}

const BIND = "bind a role with the verb list on clusters.cluster.x-k8s.io in that namespace";

/** Throws the Problem of a viewer who may not act on all of these keys. A malformed key needs the right everywhere. */
export async function requireRight(
  viewer: Viewer,
  right: Exclude<Right, "pause">,
  keys: readonly string[],
): Promise<void> {
  for (const key of keys) requireKey(viewer, key);
  const places = [...new Set(keys.map((key) => parseKey(key)?.namespace))];
  const allowed = await Promise.all(places.map((namespace) => viewer.may(right, namespace)));
  const refused = places.find((_, at) => allowed[at] !== true);
  if (!allowed.includes(false)) return;
  const where = refused === undefined ? "in all namespaces" : `in namespace ${refused}`;
  throw problem("forbidden", `${viewer.name} may not ${right} dead letters ${where}`, GRANT);
}

/** The same of a viewer who may not pause or resume a function. */
export async function requirePause(viewer: Viewer, functionName: string): Promise<void> {
  if (await viewer.may("pause", functionName)) return;
  throw problem("forbidden", `${viewer.name} may not pause ${functionName}`, GRANT);
}
const GRANT =
  "bind a role on capstan.dev: create deadletters/requeue, delete deadletters, update functions/pause";
