import * as z from "zod";

const named = (what: string) => z.record(z.string(), z.string()).default({}).describe(what);
const anything = (what: string) => z.record(z.string(), z.unknown()).default({}).describe(what);
const list = (what: string) => z.array(z.string()).default([]).describe(what);
const off = (what: string) => z.boolean().default(false).describe(what);
const text = (what: string, otherwise = "") => z.string().default(otherwise).describe(what);

/** Where Pods run and what they may use, the same for each process. */
const POD = {
  resources: anything("Requests and limits of its Pods; empty: those of the manifests."),
  nodeSelector: named("Labels of the Nodes for its Pods."),
  tolerations: z.array(z.unknown()).default([]).describe("Taints of Nodes that its Pods tolerate."),
  affinity: anything("Affinity of its Pods."),
};
const PROCESS = {
  ...POD,
  args: list("Further options of its command line; `capstan COMMAND --help` has all of them."),
};

/**
 * The values of the chart. Each has a default, each is described in one sentence, and a key that is not here is refused by
 * its name: `values.schema.json`, `values.yaml` and the README of the chart are made from this.
 */
export const VALUES = z.strictObject({
  image: z
    .strictObject({
      repository: text("Image of Capstan without tag; empty: that of the release."),
      tag: text("Its tag; empty: the version of the chart."),
      digest: text("`sha256:…`, which a registry cannot replace; empty: that of the release, if it has one."),
      pullPolicy: z
        .enum(["Always", "IfNotPresent", "Never"])
        .default("IfNotPresent")
        .describe("When kubelets pull."),
    })
    .prefault({}),
  imageRegistry: text("Registry that mirrors those of all images, such as `registry.example.com:5000`."),
  imagePullSecrets: list("Names of Secrets in the namespace with which kubelets pull."),
  logLevel: z
    .enum(["debug", "info", "warn", "error", "silent"])
    .default("info")
    .describe("Least severity of what processes log."),
  env: named("Further environment variables of all processes."),
  authority: text(
    "Certificates in PEM of authorities of your own, which all processes trust beside the public ones.",
  ),
  proxy: z
    .strictObject({
      url: text(
        "`http://HOST:PORT` of the proxy to workload clusters, a collector of traces and SQS; empty: none.",
      ),
      except: list("Hosts, domains and address blocks besides that are reached without it."),
    })
    .prefault({}),
  crds: z
    .strictObject({
      install: z
        .boolean()
        .default(true)
        .describe("Bring the CustomResourceDefinitions; `false` where Cluster API's own are."),
    })
    .prefault({}),
  redis: z
    .strictObject({
      enabled: off("Run a Redis of one Pod beside Capstan, for a trial; else `queue` names yours."),
      image: text("Its image without tag.", "docker.io/library/redis"),
      tag: text("The tag of this image.", "7.2"),
      digest: text("The digest of this image."),
      storage: text("Size of its volume.", "8Gi"),
      storageClass: text("StorageClass of its volume; empty: that of the cluster."),
      ...POD,
    })
    .prefault({}),
  queue: z
    .strictObject({
      url: text("`rediss://USER:PASSWORD@HOST:PORT` of your Redis, or `sqs://REGION?redis=…`."),
      ca: text("Certificates in PEM of the authorities of that Redis; empty: the public ones."),
      mayLoseData: off("Use a Redis that keeps nothing on disk, or hides it as rented ones do."),
    })
    .prefault({}),
  secrets: z
    .strictObject({
      create: z
        .boolean()
        .default(true)
        .describe(
          "Make certificates and Redis users; `false`: apply those of `capstan secrets`, also from other tools.",
        ),
      renewal: text(
        "Any other text than before makes new certificates and passwords; they end after 365 days.",
      ),
    })
    .prefault({}),
  relay: z
    .strictObject({ replicas: z.int().min(1).default(2).describe("Relays, of which one leads."), ...PROCESS })
    .prefault({}),
  workloadRelays: z
    .strictObject({
      enabled: off("Relays that share the workload clusters, in place of the one that leads."),
      replicas: z.int().min(1).default(2).describe("How many of them."),
      ...PROCESS,
    })
    .prefault({}),
  workers: z
    .strictObject({
      perFunction: off("One Deployment and one account for each function, in place of those of groups."),
      replicas: z.int().min(0).default(1).describe("Pods of each Deployment, where no autoscaler sets them."),
      maxDeletionsPerHour: z
        .union([z.int().min(0), z.literal("none")])
        .default("none")
        .describe("Nodes and Machines of one Cluster that are deleted within an hour at most."),
      namespaceRunsPerSecond: z
        .int()
        .min(0)
        .default(0)
        .describe("Runs of one function for one namespace in a second at most; 0: any number."),
      ...PROCESS,
    })
    .prefault({}),
  scaling: z
    .strictObject({
      by: z
        .enum(["none", "keda", "cpu"])
        .default("none")
        .describe(
          "Autoscaler of the workers: KEDA, which asks the relay, or a HorizontalPodAutoscaler by CPU.",
        ),
      min: z
        .int()
        .min(0)
        .default(1)
        .describe(
          "Workers of each group at least; 0 with KEDA only, under which those of one function always rest at 0.",
        ),
      max: z.int().min(1).default(20).describe("Workers of each Deployment at most."),
      prometheus: text("Where KEDA asks a Prometheus in place of the relay: `http://HOST:PORT`."),
    })
    .prefault({}),
  rights: z
    .strictObject({
      namespaced: off("Rights only in `namespaces`, and the relay serves only these."),
      hardened: off("Secrets only in `namespaces`, and no rights that providers grant by themselves."),
      namespaces: list("Namespaces of Clusters, which exist, for `namespaced` and `hardened`."),
      ownerEnforcement: off("Rights that servers with OwnerReferencesPermissionEnforcement ask for besides."),
      watchKubeconfigs: off("See changed kubeconfigs at once, for the right to list and watch Secrets."),
    })
    .prefault({}),
  networkPolicies: z
    .strictObject({
      enabled: z.boolean().default(true).describe("Deny all that no process needs."),
      apiServer: list("Address blocks of the API server, and of `proxy`; empty: any."),
      apiServerPorts: z.array(z.int()).default([443, 6443]).describe("Ports of the API server."),
      workloadClusters: list("Address blocks of workload clusters, and of `proxy`; empty: any."),
      redis: list("Address blocks of a Redis of your own; empty: any."),
      redisPort: z.int().default(6379).describe("Port of that Redis."),
      dnsNamespaces: z
        .array(z.string())
        .default(["kube-system"])
        .describe("Namespaces with the Pods of DNS."),
      scrapers: z
        .array(z.string())
        .default(["monitoring", "keda"])
        .describe("Namespaces from which metrics may be read."),
    })
    .prefault({}),
  monitoring: z
    .strictObject({
      serviceMonitor: off("A ServiceMonitor for the Prometheus operator."),
      alerts: off("A PrometheusRule for the Prometheus operator."),
      dashboards: off("A dashboard for the sidecar of Grafana's chart."),
    })
    .prefault({}),
  traces: z
    .strictObject({
      enabled: off("Send traces."),
      endpoint: text("Where to, by OTLP over http.", "http://otel-collector.observability.svc:4318"),
      namespace: text("Namespace of the collector.", "observability"),
      port: z.int().default(4318).describe("Port of the collector."),
    })
    .prefault({}),
  console: z
    .strictObject({
      enabled: off("Run the console in a browser, and bring the roles of its persons."),
      actions: off("Let persons with the right requeue and drop dead letters, and pause functions."),
      hostNames: list("Further names by which browsers reach it, such as that of an ingress."),
      ...PROCESS,
    })
    .prefault({}),
  webhook: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe(
          "Serve clients of `v1beta1`, too; each write then costs a conversion: 0.2 ms of CPU, about 1 ms in all.",
        ),
      replicas: z.int().min(1).default(2).describe("How many Pods convert."),
      ...PROCESS,
    })
    .prefault({}),
  takeover: z.strictObject({ enabled: off("Bring the account of `capstan takeover`.") }).prefault({}),
  demo: z
    .strictObject({
      enabled: off("Run the simulated provider, and keep a Cluster to try in the ConfigMap `capstan-demo`."),
      ...POD,
    })
    .prefault({}),
  global: anything("Values of a chart around this one; Capstan reads none."),
});

/** Returns the JSON schema by which Helm refuses wrong values. */
export function valuesSchema(): JsonSchema {
  return z.toJSONSchema(VALUES, { target: "draft-7", io: "input" }) as JsonSchema;
}

/** The members of a JSON schema that values use. */
export interface JsonSchema {
  readonly type?: string;
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly description?: string;
  readonly default?: unknown;
  readonly [more: string]: unknown;
}
