import type { Manifest } from "../deployment.ts";
import { NAMESPACE, PART_OF } from "./processes.ts";

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
