import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { GROUPS, type Group, groupOf } from "../../../shared/function/groups.ts";
import { loadFunctions } from "../../worker/load.ts";
import { deploymentOf, HEALTH_PORT, type Manifest } from "../deployment.ts";

/** Where everything of a deployment is. */
export const NAMESPACE = "capstan-system";
/** Label of everything in it. */
export const PART_OF = { "app.kubernetes.io/part-of": "capstan" };

/** One Deployment: a relay, or workers of some functions, each under its own account. */
export interface ServerProcess {
  /** Name of Deployment and ServiceAccount. */
  readonly name: string;
  readonly part: "relay" | "worker";
  /** Whether it is a relay that only connects to workload clusters, and shares them with its likes. */
  readonly isOfWorkloads?: true;
  /** The group of a worker. */
  readonly group?: Group;
  /** It serves these: those of Cluster API's core, none of a simulated provider. */
  readonly functions: readonly AnyFunction[];
}

/** Returns the processes of a deployment. They follow from the declarations of the functions. */
export async function serverProcesses(): Promise<readonly [ServerProcess, ...ServerProcess[]]> {
  const functions = await coreFunctions();
  return [
    { name: "capstan-relay", part: "relay", functions },
    ...GROUPS.map((group) => ({
      name: workersOf(group),
      part: "worker" as const,
      group,
      functions: functions.filter(({ spec }) => groupOf(spec) === group),
    })),
  ];
}

/** Returns the relays that share the workload clusters, in place of the one that leads. */
export async function workloadRelay(): Promise<ServerProcess> {
  const functions = await coreFunctions();
  return { name: "capstan-relay-workloads", part: "relay", isOfWorkloads: true, functions };
}

/** Returns the name of the Deployment that serves a group, or an expression for those of all groups. */
export function workersOf(group: Group | ".*"): string {
  return `capstan-worker-${group}`;
}

/** Returns workers of one function each, in place of those of groups. Source: S-01 */
export async function functionProcesses(): Promise<readonly ServerProcess[]> {
  return (await coreFunctions()).map((each) => ({
    name: `capstan-${each.spec.name}`,
    part: "worker",
    group: groupOf(each.spec),
    functions: [each],
  }));
}

function coreFunctions(): Promise<readonly AnyFunction[]> {
  return loadFunctions(["cluster-api"]);
}

/** Image name of the manifests. An overlay replaces it by registry and digest (`images` of kustomize). */
export const IMAGE = "capstan";

/** Where metrics, status and wanted workers are served, with TLS and authentication. */
export const DIAGNOSTICS_PORT = 8443;

/** Folders with the files of Secrets that `capstan secrets` prints. */
export const QUEUE = "/etc/capstan/queue";
const DIAGNOSTICS = "/etc/capstan/diagnostics";

/** Arguments of every process that is scraped. */
export const LISTENING = [
  `--health-address=:${HEALTH_PORT}`,
  `--diagnostics-address=:${DIAGNOSTICS_PORT}`,
  `--diagnostics-cert-dir=${DIAGNOSTICS}`,
  `--diagnostics-client-ca=${DIAGNOSTICS}/ca.crt`,
  "--log-level=info",
];
/** The port at which it is, and the Secret with the files of that listener. */
export const SCRAPED = {
  port: { name: "diagnostics", containerPort: DIAGNOSTICS_PORT, protocol: "TCP" },
  secrets: { [DIAGNOSTICS]: "capstan-diagnostics" },
};

/** The variables of the queue, so that commands of `kubectl exec` find the queue as well. */
export const QUEUE_ENV = [
  { name: "CAPSTAN_QUEUE_FILE", value: `${QUEUE}/url` },
  { name: "CAPSTAN_REDIS_CA", value: `${QUEUE}/ca.crt` },
] as const;

/**
 * Returns the Deployment of a process. Two relays stand by for each other, or share the workload clusters; the number
 * of workers belongs to their autoscaler, so the manifest names none.
 */
export function processDeployment(process: ServerProcess): Manifest {
  const { name, part, isOfWorkloads, functions } = process;
  const isRelay = part === "relay";
  return deploymentOf({
    app: name,
    namespace: NAMESPACE,
    labels: labelsOf(process),
    container: part,
    image: IMAGE,
    replicas: isRelay ? { replicas: 2 } : {},
    args: [
      part,
      "--functions",
      ...(isRelay ? ["cluster-api"] : functions.map(({ spec }) => spec.name)),
      ...LISTENING,
      ...(isRelay ? [isOfWorkloads ? "--workloads" : "--leader-elect"] : []),
    ],
    env: [
      ...QUEUE_ENV,
      { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    ],
    ports: [SCRAPED.port],
    resources: {
      requests: { cpu: "100m", memory: "128Mi" },
      limits: { memory: isRelay ? "1Gi" : "512Mi" },
    },
    secrets: { [QUEUE]: `capstan-${part}-queue`, ...SCRAPED.secrets },
    pod: {
      priorityClassName: `capstan-${part}`,
      ...(isRelay && { topologySpreadConstraints: [onDifferentNodes(name)] }),
    },
  });
}

/** Labels of the Pods: NetworkPolicies and components choose by them. */
function labelsOf({ name, part, group }: ServerProcess): { readonly [label: string]: string } {
  return {
    "app.kubernetes.io/name": name,
    "app.kubernetes.io/component": part,
    ...PART_OF,
    ...(group !== undefined && { "capstan.dev/group": group }),
  };
}

export function onDifferentNodes(name: string): object {
  return {
    maxSkew: 1,
    topologyKey: "kubernetes.io/hostname",
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: { "app.kubernetes.io/name": name } },
  };
}

/** Returns what Node drains may take away of a process at once: one Pod. A drain never waits for the last one. */
export function disruptionBudget({ name }: Pick<ServerProcess, "name">): Manifest {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: NAMESPACE },
    spec: { maxUnavailable: 1, selector: { matchLabels: { "app.kubernetes.io/name": name } } },
  };
}

/** Priorities: without a relay nothing is enqueued, without Redis nothing runs; a worker less is only slower. */
export const PRIORITIES: readonly Manifest[] = [
  priorityClass(
    "capstan-relay",
    1_000_000,
    "Relays of Capstan and their Redis: without them nothing is reconciled",
  ),
  priorityClass(
    "capstan-worker",
    900_000,
    "Workers of Capstan: with fewer of them, reconciling takes longer",
  ),
];

function priorityClass(name: string, value: number, description: string): Manifest {
  return {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    value,
    description,
  };
}

/** Returns the Service by which autoscalers and metrics reach the diagnostics of a process. */
export function diagnosticsService({ name }: ServerProcess): Manifest {
  return serviceOf(name, { diagnostics: DIAGNOSTICS_PORT });
}

/** Returns the Service of a process that leads to its container ports of these names. */
export function serviceOf(name: string, ports: { readonly [targetPort: string]: number }): Manifest {
  const selector = { "app.kubernetes.io/name": name };
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: NAMESPACE, labels: { ...selector, ...PART_OF } },
    spec: {
      selector,
      ports: Object.entries(ports).map(([targetPort, port]) => {
        return { name: targetPort, port, targetPort, protocol: "TCP" };
      }),
    },
  };
}
