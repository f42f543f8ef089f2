import { isJsonObject, type JsonObject, sameJson } from "../objects/json.ts";
import { listAt, objectAt, textAt, withMetadata } from "../objects/kube-object.ts";
import { withConditionTimes } from "../schema/zero-values.ts";
import { withAdmissionDefaults, withPodDefaults } from "./pod-defaults.ts";
import { podCauses, podUpdateCauses } from "./pod-validation.ts";
import type { Strategy } from "./registry.ts";

const DEFAULT_GRACE_SECONDS = 30;
const CONDITION_TIMES = ["lastProbeTime", "lastTransitionTime"];

/** The first of podIPs is podIP; where they differ, podIP counts. */
function withAddresses(status: JsonObject): JsonObject {
  const [first] = listAt(status, "podIPs");
  const listed = isJsonObject(first) ? textAt(first, "ip") : "";
  const podIP = textAt(status, "podIP") || listed;
  if (podIP === "") return status;
  return { ...status, podIP, podIPs: podIP === listed ? listAt(status, "podIPs") : [{ ip: podIP }] };
}

/** This server does not run Pods; a new one waits. */
export const podStrategy: Strategy = {
  defaults(next) {
    const status = withAddresses(withConditionTimes(objectAt(next, "status"), CONDITION_TIMES));
    return { ...next, spec: withPodDefaults(objectAt(next, "spec")), status };
  },
  prepare(next, live, subresource) {
    if (live && subresource === "status") {
      // Kubelets of old once spoilt owner references, and none may change the quality of service.
      const { ownerReferences } = live.metadata;
      const { qosClass } = objectAt(live, "status");
      const status = { ...(qosClass === undefined ? {} : { qosClass }), ...objectAt(next, "status") };
      return { ...withMetadata(next, { ownerReferences }), status };
    }
    const spec = withAdmissionDefaults(objectAt(next, "spec"));
    return { ...next, spec, ...(live ? {} : { status: { phase: "Pending", qosClass: qualityOf(spec) } }) };
  },
  validate(next, live) {
    const spec = objectAt(next, "spec");
    return [...podCauses(spec), ...(live ? podUpdateCauses(spec, objectAt(live, "spec")) : [])];
  },
  gracePeriodSeconds(live, asked) {
    const spec = objectAt(live, "spec");
    const phase = textAt(objectAt(live, "status"), "phase");
    if (textAt(spec, "nodeName") === "" || phase === "Succeeded" || phase === "Failed") return 0;
    const seconds = asked ?? Number(spec["terminationGracePeriodSeconds"] ?? DEFAULT_GRACE_SECONDS);
    return seconds < 0 ? 1 : seconds;
  },
};

const MEASURED = ["cpu", "memory"];

/**
 * The quality of service that a Pod's resources ask for: every container knows its limits and asks for all of them, some
 * ask for something, or none does. Source: Kubernetes v1.34, pkg/apis/core/v1/helper/qos
 */
function qualityOf(spec: JsonObject): "Guaranteed" | "Burstable" | "BestEffort" {
  const containers = [...listAt(spec, "containers"), ...listAt(spec, "initContainers")].filter(isJsonObject);
  const resources = containers.map((one) => objectAt(one, "resources"));
  const asks = (of: JsonObject, member: string) =>
    MEASURED.map((name) => objectAt(of, member)[name]).filter((amount) => amount !== undefined);
  if (resources.every((of) => asks(of, "requests").length + asks(of, "limits").length === 0))
    return "BestEffort";
  const isGuaranteed = resources.every(
    (of) =>
      asks(of, "limits").length === MEASURED.length && sameJson(asks(of, "limits"), asks(of, "requests")),
  );
  return isGuaranteed ? "Guaranteed" : "Burstable";
}
