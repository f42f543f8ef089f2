import type { Manifest } from "../deployment.ts";
import { ENDPOINT } from "../manifests/observation.ts";
import { PROMETHEUS } from "../manifests/scaling.ts";
import { value } from "./marks.ts";

/** Bounds of the number of workers, by the names of KEDA and of Kubernetes. */
const BOUNDS = {
  minReplicaCount: "min",
  maxReplicaCount: "max",
  minReplicas: "min",
  maxReplicas: "max",
} as const;

/** Returns an object with bounds, Prometheus and collector of the values, where it has any. */
export function withScalingValues(object: Manifest): Manifest {
  const text = JSON.stringify(object, (name, present) =>
    // Workers of one function rest at 0 in any case.
    name in BOUNDS && typeof present === "number" && present > 0
      ? value(`$.Values.scaling.${BOUNDS[name as keyof typeof BOUNDS]}`)
      : present,
  );
  return JSON.parse(
    text
      .replaceAll(PROMETHEUS, value("$.Values.scaling.prometheus"))
      .replaceAll(ENDPOINT, value("$.Values.traces.endpoint")),
  );
}
