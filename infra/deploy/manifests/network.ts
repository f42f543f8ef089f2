import type { Manifest } from "../deployment.ts";
import { DIAGNOSTICS_PORT, NAMESPACE, PART_OF } from "./deployments.ts";
import { REDIS_LABELS, REDIS_PORT } from "./redis.ts";

/** Where scrapers and autoscalers are, by the name of their namespace. */
export const SCRAPERS = ["monitoring", "keda"];

/** Any address but those of the Node: credentials of clouds are served there. Source: S-11 */
const ANYWHERE = [
  { ipBlock: { cidr: "0.0.0.0/0", except: ["169.254.0.0/16"] } },
  { ipBlock: { cidr: "::/0", except: ["fe80::/10"] } },
];
const CLIENTS = { matchLabels: PART_OF, matchExpressions: [exists("app.kubernetes.io/component")] };
const REDIS = { matchLabels: REDIS_LABELS };

/**
 * Returns what Pods may reach: nothing but DNS, the API server and Redis; relay and `workload` also workload clusters. An
 * overlay narrows the address blocks of both, which only the operator knows.
 */
export function networkPolicies(): readonly Manifest[] {
  return [
    policy("capstan-nothing", { podSelector: {}, policyTypes: ["Ingress", "Egress"] }),
    policy("capstan-dns", {
      podSelector: {},
      policyTypes: ["Egress"],
      egress: [{ to: [{ namespaceSelector: named("kube-system") }], ports: [udp(53), tcp(53)] }],
    }),
    policy("capstan-api-server", {
      podSelector: CLIENTS,
      policyTypes: ["Egress"],
      egress: [{ to: ANYWHERE, ports: [tcp(443), tcp(6443)] }],
    }),
    policy("capstan-workload-clusters", {
      podSelector: {
        matchExpressions: [
          notIn("capstan.dev/group", ["core", "credentials"]),
          isIn("app.kubernetes.io/component", ["relay", "worker"]),
        ],
        matchLabels: PART_OF,
      },
      policyTypes: ["Egress"],
      egress: [{ to: ANYWHERE }],
    }),
    policy("capstan-to-redis", {
      podSelector: CLIENTS,
      policyTypes: ["Egress"],
      egress: [{ to: [{ podSelector: REDIS }], ports: [tcp(REDIS_PORT)] }],
    }),
    policy("capstan-redis", {
      podSelector: REDIS,
      policyTypes: ["Ingress"],
      ingress: [{ from: [{ podSelector: CLIENTS }], ports: [tcp(REDIS_PORT)] }],
    }),
    policy("capstan-diagnostics", {
      podSelector: CLIENTS,
      policyTypes: ["Ingress"],
      ingress: [{ from: [{ namespaceSelector: named(...SCRAPERS) }], ports: [tcp(DIAGNOSTICS_PORT)] }],
    }),
  ];
}

/** Returns what lets every process reach the collector of traces, in any Pod of its namespace. */
export function toCollector(namespace: string, port: number): Manifest {
  return policy("capstan-to-collector", {
    podSelector: CLIENTS,
    policyTypes: ["Egress"],
    egress: [{ to: [{ namespaceSelector: named(namespace) }], ports: [tcp(port)] }],
  });
}

/** Returns what lets clients of any namespace reach a process that asks each of them who it is. */
export function fromAnywhere(name: string, port: number): Manifest {
  return policy(name, {
    podSelector: { matchLabels: { "app.kubernetes.io/name": name } },
    policyTypes: ["Ingress"],
    ingress: [{ ports: [tcp(port)] }],
  });
}

function policy(name: string, spec: object): Manifest {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name, namespace: NAMESPACE },
    spec,
  };
}

function named(...namespaces: readonly string[]): object {
  return { matchExpressions: [isIn("kubernetes.io/metadata.name", namespaces)] };
}

function exists(key: string): object {
  return { key, operator: "Exists" };
}

function isIn(key: string, values: readonly string[]): object {
  return { key, operator: "In", values };
}

function notIn(key: string, values: readonly string[]): object {
  return { key, operator: "NotIn", values };
}

function tcp(port: number): object {
  return { port, protocol: "TCP" };
}

function udp(port: number): object {
  return { port, protocol: "UDP" };
}
