import { RIGHTS } from "../../queue/backends/redis/server/users.ts";
import type { Manifest } from "../deployment.ts";
import { ENDPOINT } from "../manifests/monitors.ts";
import { PROMETHEUS } from "../manifests/scaling.ts";
import { sha256 } from "../sha256.ts";
import { itemsIf, line, membersIf, value } from "./conditional.ts";
import { RENEWAL } from "./secrets.ts";

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

/** A Deployment or StatefulSet. */
interface Workload extends Manifest {
  readonly spec: {
    readonly replicas?: unknown;
    readonly template: { readonly metadata: object; readonly spec: PodSpec };
    readonly volumeClaimTemplates?: unknown;
  };
}

interface PodSpec {
  readonly containers: readonly [Container];
  readonly volumes: readonly unknown[];
}

interface Container {
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string }[];
  readonly resources: object;
  readonly volumeMounts: readonly unknown[];
}

const AUTHORITY = "/etc/capstan/authority";
/** Name of the ConfigMap with authorities of one's own. */
export const AUTHORITY_MAP = "capstan-authority";

/** Returns an object of the manifests with what the values say of its Pods; others as they are. */
export function withPodValues(object: Manifest, { isDemo }: { readonly isDemo: boolean }): Manifest {
  if (object.kind !== "Deployment" && object.kind !== "StatefulSet") return object;
  const workload = object as Workload;
  const values = isDemo ? "demo" : valuesOf(workload.metadata.name);
  const { template } = workload.spec;
  return {
    ...workload,
    spec: {
      ...workload.spec,
      ...replicasOf(workload, values),
      template: {
        ...template,
        metadata: { ...template.metadata, ...(values === "redis" && { annotations: RESTARTED_BY }) },
        spec: podOf(template.spec, workload, values),
      },
    },
  };
}

/** Redis reads its files at a start only: another renewal or other rights of its users replace its Pod. */
const RESTARTED_BY = {
  [RENEWAL]: value("quote $.Values.secrets.renewal"),
  "capstan.dev/redis-rights": sha256(JSON.stringify(RIGHTS)),
};

function valuesOf(name: string): string {
  if (name === "capstan-relay-workloads") return "workloadRelays";
  return /^capstan-(relay|console|redis|webhook)$/.exec(name)?.[1] ?? "workers";
}

function replicasOf({ spec }: Workload, values: string): object {
  if (values === "workers")
    return membersIf('if eq $.Values.scaling.by "none"', { replicas: value("$.Values.workers.replicas") });
  return /^(relay|workloadRelays|webhook)$/.test(values)
    ? { replicas: value(`$.Values.${values}.replicas`) }
    : { replicas: spec.replicas };
}

function podOf(spec: PodSpec, { metadata }: Workload, values: string): object {
  const of = (member: string) => `$.Values.${values}.${member}`;
  const placed = ["nodeSelector", "tolerations", "affinity"].map((member) =>
    membersIf(`with ${of(member)}`, { [member]: value("toJson .") }),
  );
  const isRedis = values === "redis";
  const [container] = spec.containers;
  return Object.assign(
    {
      ...spec,
      ...membersIf("if $.Values.imagePullSecrets", {
        imagePullSecrets: [line("range $.Values.imagePullSecrets"), { name: value("quote .") }, line("end")],
      }),
      containers: [
        {
          ...container,
          image: value(isRedis ? 'include "capstan.redisImage" $' : 'include "capstan.image" $'),
          imagePullPolicy: value("$.Values.image.pullPolicy"),
          resources: value(
            `${of("resources")} | default (fromJson \`${JSON.stringify(container.resources)}\`) | toJson`,
          ),
          ...(!isRedis && processOf(container, metadata, values)),
        },
      ],
      ...(!isRedis && {
        volumes: [
          ...spec.volumes,
          ...itemsIf("if $.Values.authority", [{ name: "authority", configMap: { name: AUTHORITY_MAP } }]),
        ],
      }),
    },
    ...placed,
  );
}

/** Returns what the values add to a process of ours. */
function processOf(
  { args = [], env = [], volumeMounts }: Container,
  metadata: Manifest["metadata"],
  values: string,
) {
  const logged = args.map((each) =>
    each.replace(/^--log-level=.*$/, `--log-level=${value("$.Values.logLevel")}`),
  );
  return {
    args: [...logged, ...(values === "demo" ? [] : optionsOf(metadata, values))],
    env: [
      ...env.flatMap((each) => (each.name === "CAPSTAN_REDIS_CA" ? itemsIf(`if ${HAS_CA}`, [each]) : [each])),
      ...(values === "demo"
        ? []
        : itemsIf("if $.Values.queue.mayLoseData", [{ name: "CAPSTAN_REDIS_MAY_LOSE_DATA", value: "true" }])),
      ...itemsIf("if $.Values.authority", [{ name: "NODE_EXTRA_CA_CERTS", value: `${AUTHORITY}/ca.crt` }]),
      ...itemsIf("if $.Values.proxy.url", [
        { name: "HTTPS_PROXY", value: value("quote $.Values.proxy.url") },
        {
          name: "NO_PROXY",
          value: value(`printf "${NOT_PROXIED}%s" (join "," $.Values.proxy.except) | quote`),
        },
      ]),
      line("range $name, $value := $.Values.env"),
      { name: value("$name"), value: value("quote $value") },
      line("end"),
    ],
    volumeMounts: [
      ...volumeMounts,
      ...itemsIf("if $.Values.authority", [{ name: "authority", mountPath: AUTHORITY }]),
    ],
  };
}

/** Names of the cluster itself; kubelets fill in the address of the API server. */
const NOT_PROXIED = "$(KUBERNETES_SERVICE_HOST),.svc,";

/** Whether the Secrets of the queue hold authorities. */
const HAS_CA = "or (not $.Values.secrets.create) $.Values.redis.enabled $.Values.queue.ca";

function optionsOf({ name, labels }: Manifest["metadata"], values: string): readonly unknown[] {
  const each = (list: string, option: string) => [
    line(`range $.Values.${list}`),
    value(`printf "--${option}=%s" . | quote`),
    line("end"),
  ];
  const connects =
    values === "workloadRelays" || name === "capstan-relay" || labels?.["capstan.dev/group"] === "workload";
  return [
    ...(name === "capstan-relay"
      ? itemsIf("if $.Values.rights.namespaced", each("rights.namespaces", "namespace"))
      : []),
    ...(connects ? each("networkPolicies.workloadClusters", "workload-addresses") : []),
    ...(values === "workers"
      ? [
          ...itemsIf('if ne (toString $.Values.workers.maxDeletionsPerHour) "none"', [
            `--max-deletions-per-hour=${value("$.Values.workers.maxDeletionsPerHour")}`,
          ]),
          ...itemsIf("if $.Values.workers.namespaceRunsPerSecond", [
            `--namespace-runs-per-second=${value("$.Values.workers.namespaceRunsPerSecond")}`,
          ]),
        ]
      : []),
    ...(values === "console" ? each("console.hostNames", "host-name") : []),
    line(`range $.Values.${values}.args`),
    value("quote ."),
    line("end"),
  ];
}
