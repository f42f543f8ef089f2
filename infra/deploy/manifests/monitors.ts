import type { Manifest } from "../deployment.ts";
import { alertGroups } from "../observation/alerts.ts";
import { dashboard } from "../observation/dashboard.ts";
import { NAMESPACE, PART_OF } from "./deployments.ts";
import type { Folder } from "./kustomization.ts";
import { toCollector } from "./network.ts";

/** Where the collector of OpenTelemetry's chart is; an overlay names another. */
export const COLLECTOR = { namespace: "observability", port: 4318 };
export const ENDPOINT = `http://otel-collector.${COLLECTOR.namespace}.svc:${COLLECTOR.port}`;

const TRACED = {
  op: "add",
  path: "/spec/template/spec/containers/0/env/-",
  value: { name: "OTEL_EXPORTER_OTLP_ENDPOINT", value: ENDPOINT },
};

/** Returns the components for the Prometheus operator, Grafana, and a collector of traces. */
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
    traces: {
      kind: "Component",
      files: { traces: [toCollector(COLLECTOR.namespace, COLLECTOR.port)] },
      patches: [
        { target: { kind: "Deployment", name: "capstan-.*" }, patch: `${JSON.stringify([TRACED])}\n` },
      ],
    },
  };
}

/** A Secret that `capstan secrets` prints: a certificate that every process admits, and the CA of these. */
export const CLIENT = "capstan-diagnostics-client";

/** Returns what the Prometheus operator scrapes: every process, over TLS, with a client certificate. */
export function monitors(): readonly Manifest[] {
  return [
    {
      apiVersion: "monitoring.coreos.com/v1",
      kind: "ServiceMonitor",
      metadata: { name: "capstan", namespace: NAMESPACE, labels: PART_OF },
      spec: {
        selector: { matchLabels: PART_OF },
        endpoints: [
          {
            port: "diagnostics",
            scheme: "https",
            tlsConfig: {
              ca: file("ca.crt"),
              cert: file("tls.crt"),
              keySecret: { name: CLIENT, key: "tls.key" },
              // Pods are scraped by their addresses, and their certificate is for any Service of the namespace.
              serverName: `capstan-relay.${NAMESPACE}.svc`,
            },
          },
        ],
      },
    },
  ];
}

function file(key: string): object {
  return { secret: { name: CLIENT, key } };
}
