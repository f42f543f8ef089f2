import { writeYaml } from "../platform/yaml/write-yaml.ts";

/** Returns the text that clusterctl replaces by the value of a variable; without `otherwise` the user must give one. */
export function variable(name: string, otherwise?: string | number): string {
  return `\${${name}${otherwise === undefined ? "" : `:=${otherwise}`}}`;
}

/**
 * Returns `replicas` from a variable. `generate provider --describe` converts each Deployment with the variables still in
 * it, and fails at a number that is a text (`unrecognized type: int32`); a field that it does not know it leaves out. So the
 * name begins with a part of the value that is always empty, and is `replicas` once the variables are replaced.
 */
export function replicasOf(name: string, otherwise: number): object {
  return { [`\${${name}:0:0}replicas`]: variable(name, otherwise) };
}

/** An object of Kubernetes as it is written to a file; its texts may hold variables of clusterctl. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly labels?: { readonly [key: string]: string } | undefined;
  };
  readonly [more: string]: unknown;
}

/** Returns objects as the documents of one YAML file. */
export function yamlOf(objects: readonly Manifest[]): string {
  return objects.map((object) => writeYaml(object)).join("---\n");
}

/** A second process of a provider, beside its manager. */
export interface Beside {
  readonly account: readonly Manifest[];
  readonly deployment: (image: string) => Manifest;
}

/** A provider, as its manager knows it. */
interface Managed {
  /** Names its functions. */
  readonly label: string;
  readonly app: string;
  readonly namespace: string;
  /** Prefix of its variables. */
  readonly variables: string;
}

export interface Process {
  /** Name of Deployment and ServiceAccount. */
  readonly app: string;
  readonly namespace: string;
  readonly container: string;
  readonly image: string;
  /** The labels of Deployment and Pods, beside the name. */
  readonly labels?: { readonly [label: string]: string };
  readonly replicas?: object;
  readonly args: readonly string[];
  readonly env: readonly object[];
  /** The ports beside that of probes. */
  readonly ports?: readonly object[];
  readonly resources?: object;
  /** Names of Secrets by the folder where their files are. */
  readonly secrets?: { readonly [folder: string]: string };
  readonly strategy?: object;
  /** Further members of the spec of its Pods. */
  readonly pod?: object;
}

export const HEALTH_PORT = 9440;

/** Value of an environment variable that the user may set, empty by default: in an argument quotes would stay. */
const EMPTY = '""';

/**
 * Returns the Deployment of the controllers of a provider: relay and worker in one process with the memory queue. Its
 * one container is `manager`, for which `init --wait-providers` waits.
 */
export function managerDeployment(
  { label, app, namespace, variables: prefix }: Managed,
  image: string,
): Manifest {
  const own = (name: string, otherwise: string | number) => variable(`${prefix}_${name}`, otherwise);
  return deploymentOf({
    app,
    namespace,
    container: "manager",
    image,
    args: [
      "manager",
      `--functions=${label}`,
      "--namespace=",
      `--watch-filter=$(${prefix}_WATCH_FILTER)`,
      "--leader-elect",
      `--lease-name=${app}`,
      `--health-address=:${HEALTH_PORT}`,
      `--kube-api-qps=${own("KUBE_API_QPS", 500)}`,
      `--kube-api-burst=${own("KUBE_API_BURST", 1000)}`,
      `--log-level=${own("LOG_LEVEL", "info")}`,
      ...(label === "cluster-api"
        ? [`--max-deletions-per-hour=${own("MAX_DELETIONS_PER_HOUR", "none")}`]
        : []),
    ],
    env: [
      { name: `${prefix}_WATCH_FILTER`, value: own("WATCH_FILTER", EMPTY) },
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
    ],
  });
}

/** Passes the Pod Security Standard `restricted`. */
export const CONFINED = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  runAsUser: 65_532,
  seccompProfile: { type: "RuntimeDefault" },
};

/** Returns the Deployment of a process of ours: confined, asked by its kubelet, and given time to end its runs. */
export function deploymentOf(process: Process): Manifest {
  const { app, namespace, container, image, replicas = { replicas: 1 }, args, env, strategy } = process;
  const {
    ports = [],
    resources = { requests: { cpu: "100m", memory: "128Mi" } },
    secrets = {},
    pod,
  } = process;
  const selected = { "app.kubernetes.io/name": app };
  const labels = { ...selected, ...process.labels };
  const volumes = Object.entries(secrets).map(([mountPath, secretName]) => {
    return { volume: { name: secretName, secret: { secretName } }, mount: { name: secretName, mountPath } };
  });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: app, namespace, labels },
    spec: {
      ...replicas,
      selector: { matchLabels: selected },
      strategy,
      template: {
        metadata: { labels },
        spec: {
          ...pod,
          serviceAccountName: app,
          // Runs in progress may end.
          terminationGracePeriodSeconds: 40,
          containers: [
            {
              name: container,
              image,
              args,
              env: [...env, { name: "HOME", value: "/tmp" }],
              ports: [{ name: "healthz", containerPort: HEALTH_PORT, protocol: "TCP" }, ...ports],
              livenessProbe: { httpGet: { path: "/livez", port: "healthz" } },
              readinessProbe: { httpGet: { path: "/readyz", port: "healthz" } },
              resources,
              securityContext: CONFINED,
              volumeMounts: [{ name: "tmp", mountPath: "/tmp" }, ...volumes.map(({ mount }) => mount)],
            },
          ],
          volumes: [{ name: "tmp", emptyDir: {} }, ...volumes.map(({ volume }) => volume)],
        },
      },
    },
  };
}
