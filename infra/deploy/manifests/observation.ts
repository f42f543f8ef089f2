import { alertGroups } from "../observation/alerts.ts";
import { dashboard } from "../observation/dashboard.ts";
import type { Folder } from "./kustomization.ts";
import { NAMESPACE } from "./processes.ts";

/** Returns the components for the Prometheus operator and for Grafana. Source: D-702 */
export function observationComponents(): { readonly [name: string]: Folder } {
  const rule = {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: "capstan", namespace: NAMESPACE },
    spec: alertGroups(),
  };
  // The sidecar of Grafana's chart looks for the label.
  const board = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "capstan-dashboard", namespace: NAMESPACE, labels: { grafana_dashboard: "1" } },
    data: { "capstan.json": JSON.stringify(dashboard()) },
  };
  return {
    alerts: { kind: "Component", files: { alerts: [rule] } },
    dashboards: { kind: "Component", files: { dashboards: [board] } },
  };
}
