import { CONFINED, type Manifest } from "../deployment.ts";
import { NAMESPACE, PART_OF } from "./deployments.ts";

export const REDIS_PORT = 6379;
export const REDIS_LABELS = { "app.kubernetes.io/name": "capstan-redis" };
const NAME = "capstan-redis";
/** The image of Docker's library; an overlay pins its digest. */
const IMAGE = "docker.io/library/redis:7.2";
/** Its user in that image. */
const USER = 999;
const LIMIT_MIB = 1024;

/** Files of the Secret that `capstan secrets` prints. */
const SECRET = "/etc/redis-secret";

/**
 * The settings of Redis: TLS only, users from a Secret, nothing is ever evicted, and a lost second at most after a crash.
 * A quarter of the memory is left for what Redis needs besides data. Source: S-23, Q-33
 */
export const REDIS_CONF = [
  "port 0",
  `tls-port ${REDIS_PORT}`,
  `tls-cert-file ${SECRET}/tls.crt`,
  `tls-key-file ${SECRET}/tls.key`,
  `tls-ca-cert-file ${SECRET}/ca.crt`,
  "tls-auth-clients no",
  "tls-protocols TLSv1.3",
  `aclfile ${SECRET}/users.acl`,
  "maxmemory-policy noeviction",
  `maxmemory ${(LIMIT_MIB * 3) / 4}mb`,
  "appendonly yes",
  "appendfsync everysec",
  "dir /data",
  "",
].join("\n");

/** Returns a Redis of one Pod. Where a managed one is used, an overlay deletes it. */
export function redis(): readonly Manifest[] {
  const metadata = { name: NAME, namespace: NAMESPACE, labels: { ...REDIS_LABELS, ...PART_OF } };
  const port = { name: "redis", port: REDIS_PORT, targetPort: "redis", protocol: "TCP" };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata, automountServiceAccountToken: false },
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "redis.conf": REDIS_CONF } },
    { apiVersion: "v1", kind: "Service", metadata, spec: { selector: REDIS_LABELS, ports: [port] } },
    {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata,
      spec: {
        replicas: 1,
        serviceName: NAME,
        selector: { matchLabels: REDIS_LABELS },
        template: { metadata: { labels: { ...REDIS_LABELS, ...PART_OF } }, spec: pod() },
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "8Gi" } } },
          },
        ],
      },
    },
  ];
}

function pod(): object {
  const mounts = { data: "/data", config: "/etc/redis", secret: SECRET };
  return {
    serviceAccountName: NAME,
    automountServiceAccountToken: false,
    priorityClassName: "capstan-relay",
    securityContext: { fsGroup: USER },
    containers: [
      {
        name: "redis",
        image: IMAGE,
        command: ["redis-server", "/etc/redis/redis.conf"],
        ports: [{ name: "redis", containerPort: REDIS_PORT, protocol: "TCP" }],
        livenessProbe: { tcpSocket: { port: "redis" } },
        readinessProbe: { tcpSocket: { port: "redis" } },
        resources: {
          requests: { cpu: "100m", memory: `${LIMIT_MIB}Mi` },
          limits: { memory: `${LIMIT_MIB}Mi` },
        },
        securityContext: { ...CONFINED, runAsUser: USER, runAsGroup: USER },
        volumeMounts: Object.entries(mounts).map(([name, mountPath]) => ({ name, mountPath })),
      },
    ],
    volumes: [
      { name: "config", configMap: { name: NAME } },
      { name: "secret", secret: { secretName: NAME } },
    ],
  };
}
