import { isJsonObject, type JsonObject } from "../schema/schema.ts";
import { withConditionTimes } from "../schema/zero-values.ts";
import { type KubeObject, listAt, objectAt, omit, textAt } from "../storage/kube-object.ts";
import { withPodDefaults } from "./pod-defaults.ts";
import type { Strategy } from "./registry.ts";

/** Objects of a namespace are deleted before it, which this finalizer in its spec stands for. */
export const NAMESPACE_FINALIZER = "kubernetes";

export const namespaceStrategy: Strategy = {
  prepare(next, live, subresource) {
    const isDeleting = next.metadata.deletionTimestamp !== undefined;
    const labels = { ...next.metadata.labels, "kubernetes.io/metadata.name": next.metadata.name };
    const given = subresource === "finalize" ? next["spec"] : live?.["spec"];
    const spec = live ? (given ?? {}) : { finalizers: [NAMESPACE_FINALIZER] };
    const status = { ...objectAt(next, "status"), phase: isDeleting ? "Terminating" : "Active" };
    // It has no grace period, not even one of no seconds.
    const metadata = omit({ ...next.metadata, labels }, "deletionGracePeriodSeconds");
    return { ...next, metadata, spec, status };
  },
};

export const secretStrategy: Strategy = {
  prepare(next) {
    const { stringData, data: _, ...rest } = next;
    const given = objectAt({ ...(stringData === undefined ? {} : { stringData }) }, "stringData");
    const encoded = Object.entries(given).map(([key, value]) => [
      key,
      Buffer.from(String(value)).toString("base64"),
    ]);
    const data = { ...objectAt(next, "data"), ...Object.fromEntries(encoded) };
    const type = textAt(next, "type") || "Opaque";
    return { ...rest, ...(Object.keys(data).length === 0 ? {} : { data }), type } as KubeObject;
  },
  validate(next, live) {
    const type = textAt(next, "type");
    if (!live || textAt(live, "type") === type) return [];
    const message = `Invalid value: "${type}": field is immutable`;
    return [{ reason: "FieldValueInvalid", message, field: "type" }];
  },
};

/** A Node stays that of its instance. */
export const nodeStrategy: Strategy = {
  prepare(next) {
    const times = ["lastHeartbeatTime", "lastTransitionTime"];
    return { ...next, status: withConditionTimes(objectAt(next, "status"), times) };
  },
  validate(next, live) {
    const before = textAt(objectAt(live, "spec"), "providerID");
    if (before === "" || textAt(objectAt(next, "spec"), "providerID") === before) return [];
    const message =
      "Forbidden: node updates may only change labels, taints, or capacity (or configSource, if the DynamicKubeletConfig feature gate is enabled)";
    return [{ reason: "FieldValueForbidden", message, field: "spec.providerID" }];
  },
};

const DEFAULT_GRACE_SECONDS = 30;

/** The first of podIPs is podIP; where they differ, podIP counts. */
function withAddresses(status: JsonObject): JsonObject {
  const [first] = listAt(status, "podIPs");
  const listed = isJsonObject(first) ? textAt(first, "ip") : "";
  const podIP = textAt(status, "podIP") || listed;
  if (podIP === "") return status;
  return { ...status, podIP, podIPs: podIP === listed ? listAt(status, "podIPs") : [{ ip: podIP }] };
}

/** Nobody runs Pods here; a new one waits. */
export const podStrategy: Strategy = {
  prepare(next, live) {
    const spec = withPodDefaults(objectAt(next, "spec"));
    const status = live
      ? withAddresses(withConditionTimes(objectAt(next, "status"), ["lastProbeTime", "lastTransitionTime"]))
      : { phase: "Pending", qosClass: "BestEffort" };
    return { ...next, spec, status };
  },
  validate(next, live) {
    const field = "spec.activeDeadlineSeconds";
    const before = objectAt(live, "spec")["activeDeadlineSeconds"];
    if (before === undefined || objectAt(next, "spec")["activeDeadlineSeconds"] !== undefined) return [];
    const message = "Invalid value: null: must not update from a positive integer to nil value";
    return [{ reason: "FieldValueInvalid", message, field }];
  },
  gracePeriodSeconds(live, asked) {
    const spec = objectAt(live, "spec");
    const phase = textAt(objectAt(live, "status"), "phase");
    if (textAt(spec, "nodeName") === "" || phase === "Succeeded" || phase === "Failed") return 0;
    const seconds = asked ?? Number(spec["terminationGracePeriodSeconds"] ?? DEFAULT_GRACE_SECONDS);
    return seconds < 0 ? 1 : seconds;
  },
};
