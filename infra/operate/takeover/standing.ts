import { PAUSED_ANNOTATION, WATCH_FILTER_LABEL } from "../../../shared/api/indexes.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";

/** Value of that annotation where a take-over has paused the object; of any other value it is a user's, and stays. */
export const PAUSED_BY_TAKEOVER = "capstan-takeover";

/** Values of the label `cluster.x-k8s.io/watch-filter`; without one, objects of Cluster API's manager have no label. */
export interface Filters {
  readonly core: string | undefined;
  readonly capstan: string;
}

/**
 * The controller of an object: Cluster API's manager, on its way from it, Capstan, on its way from Capstan; `other`:
 * its label says that a third controller has it.
 */
export type Standing = "core" | "leaving-core" | "capstan" | "leaving-capstan" | "other";

/** The label and the annotation of the object are all the state of a take-over: whatever has stopped it, another run continues. */
export function standingOf({ metadata }: KubeObject, filters: Filters): Standing {
  const value = metadata.labels?.[WATCH_FILTER_LABEL];
  const leaves = isPausedByTakeover({ metadata });
  if (value === filters.capstan) return leaves ? "leaving-capstan" : "capstan";
  if (value === filters.core) return leaves ? "leaving-core" : "core";
  return "other";
}

export function isPausedByTakeover({ metadata }: Pick<KubeObject, "metadata">): boolean {
  return metadata.annotations?.[PAUSED_ANNOTATION] === PAUSED_BY_TAKEOVER;
}

/** Whether a user has paused it, who wants it to stay paused. */
export function isHeldByUser({ metadata }: Pick<KubeObject, "metadata">): boolean {
  const value = metadata.annotations?.[PAUSED_ANNOTATION];
  return value !== undefined && value !== PAUSED_BY_TAKEOVER;
}

/** The controller of the object has seen the annotation: it writes nothing from then on. */
export function saysPaused(object: KubeObject): boolean {
  const paused = pausedCondition(object);
  return paused?.status === "True" && paused.message?.includes(PAUSED_ANNOTATION) === true;
}

/** The controller of the object works on it. */
export function saysNotPaused(object: KubeObject): boolean {
  return pausedCondition(object)?.status === "False";
}

interface PausedCondition {
  readonly type: string;
  readonly status: string;
  readonly message?: string | undefined;
}

function pausedCondition(object: KubeObject): PausedCondition | undefined {
  const status: unknown = Reflect.get(object, "status");
  const conditions: unknown =
    typeof status === "object" && status !== null ? Reflect.get(status, "conditions") : undefined;
  return conditionOf((Array.isArray(conditions) ? conditions : []) as readonly PausedCondition[], "Paused");
}
