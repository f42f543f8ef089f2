import { StatusError } from "../errors/status-error.ts";
import { isJsonObject, type JsonObject } from "../objects/json.ts";
import { type KubeObject, listAt, objectAt, textAt, timestamp } from "../objects/kube-object.ts";
import type { VirtualServer } from "../request/request.ts";

const BUDGETS = "policy/poddisruptionbudgets";
/** A budget remembers so many Pods as disrupted at most. */
const DISRUPTED_PODS_MAX = 2_000;
const RETRY_AFTER_SECONDS = 10;

/**
 * Uses up one allowed disruption of the PodDisruptionBudget that selects a running Pod.
 * Throws StatusError 429 when there is none left, 500 when two budgets select the Pod.
 */
export function takeFromBudget(
  { storage }: VirtualServer,
  pod: KubeObject,
  { dryRun, now }: { readonly dryRun: boolean; readonly now: Date },
): void {
  const inNamespace = [...storage.collection(BUDGETS).scan(pod.metadata.namespace)];
  const [budget, ...more] = inNamespace.filter((candidate) => selectsPod(candidate, pod));
  if (more.length > 0) {
    const message =
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw new StatusError(500, "", message);
  }
  if (!budget || (!isReady(pod) && mayEvictUnready(budget))) return;
  const next = { ...budget, status: spent(budget, pod, now) };
  if (!dryRun) storage.put(BUDGETS, next);
}

function isReady(pod: KubeObject): boolean {
  return listAt(objectAt(pod, "status"), "conditions").some(
    (entry) => isJsonObject(entry) && entry["type"] === "Ready" && entry["status"] === "True",
  );
}

function mayEvictUnready(budget: KubeObject): boolean {
  if (objectAt(budget, "spec")["unhealthyPodEvictionPolicy"] === "AlwaysAllow") return true;
  const { currentHealthy, desiredHealthy } = objectAt(budget, "status");
  return Number(currentHealthy ?? 0) >= Number(desiredHealthy ?? 0) && Number(desiredHealthy ?? 0) > 0;
}

/** The budget's status with one disruption less allowed. Throws StatusError 429 when there is none. */
function spent(budget: KubeObject, pod: KubeObject, now: Date): JsonObject {
  const { name, generation = 0 } = budget.metadata;
  const status = objectAt(budget, "status");
  const allowed = Number(status["disruptionsAllowed"] ?? 0);
  const disruptedPods = objectAt(status, "disruptedPods");
  if (Number(status["observedGeneration"] ?? 0) < generation) {
    throw refused(
      `The disruption budget ${name} is still being processed by the server.`,
      RETRY_AFTER_SECONDS,
    );
  }
  if (allowed <= 0 || Object.keys(disruptedPods).length > DISRUPTED_PODS_MAX) {
    const { desiredHealthy = 0, currentHealthy = 0 } = status;
    throw refused(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
    );
  }
  return {
    ...status,
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...disruptedPods, [pod.metadata.name]: timestamp(now) },
  };
}

function refused(message: string, retryAfterSeconds?: number): StatusError {
  const text = "Cannot evict pod as it would violate the pod's disruption budget.";
  return new StatusError(429, "TooManyRequests", text, {
    causes: [{ reason: "DisruptionBudget", message }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** An empty selector selects every Pod of the namespace, an absent one none. */
function selectsPod(budget: KubeObject, { metadata }: KubeObject): boolean {
  const { selector } = objectAt(budget, "spec");
  if (!isJsonObject(selector)) return false;
  const labels = metadata.labels ?? {};
  const matches = Object.entries(objectAt(selector, "matchLabels")).every(
    ([key, value]) => labels[key] === value,
  );
  return (
    matches &&
    listAt(selector, "matchExpressions").every((entry) => isJsonObject(entry) && fulfils(labels, entry))
  );
}

function fulfils(labels: Readonly<Record<string, string>>, requirement: JsonObject): boolean {
  const value = labels[textAt(requirement, "key")];
  const values = listAt(requirement, "values");
  switch (requirement["operator"]) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}
