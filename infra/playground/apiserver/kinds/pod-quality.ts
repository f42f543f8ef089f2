import { isJsonObject, type JsonObject, sameJson } from "../objects/json.ts";
import { listAt, objectAt } from "../objects/kube-object.ts";

const MEASURED = ["cpu", "memory"];

/**
 * The quality of service that a Pod's resources ask for: every container knows its limits and asks for all of them, some
 * ask for something, or none does. Source: Kubernetes v1.34, pkg/apis/core/v1/helper/qos
 */
export function qualityOf(spec: JsonObject): "Guaranteed" | "Burstable" | "BestEffort" {
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
