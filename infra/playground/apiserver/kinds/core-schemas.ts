import type { Schema } from "../schema/schema.ts";

/*
 * List and map types of the compiled-in kinds, as their real schemas have them, because field ownership and strategic
 * merge depend on them. Fields that this server does not interpret are free-form.
 * Source: Kubernetes v1.34, api/openapi-spec/v3.
 */

const text: Schema = { type: "string" };
const integer: Schema = { type: "integer" };
const int32: Schema = { type: "integer", format: "int32" };
const flag: Schema = { type: "boolean" };
const time: Schema = { type: "string", format: "date-time" };
const textMap: Schema = { type: "object", additionalProperties: text };
/** A null in these is an empty text. */
const nullableTexts: Schema = { type: "object", additionalProperties: { ...text, nullable: true } };
const bytesMap: Schema = {
  type: "object",
  additionalProperties: { type: "string", format: "byte", nullable: true },
};
const intOrString: Schema = { "x-kubernetes-int-or-string": true };
const free: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const atomicFree: Schema = { ...free, "x-kubernetes-map-type": "atomic" };

/** An object with these members, and any others. */
function open(properties: Readonly<Record<string, Schema>>, required?: readonly string[]): Schema {
  return { ...free, properties, ...(required ? { required } : {}) };
}

function closed(properties: Readonly<Record<string, Schema>>, required?: readonly string[]): Schema {
  return { type: "object", properties, ...(required ? { required } : {}) };
}

function atomicList(items: Schema): Schema {
  return { type: "array", items, "x-kubernetes-list-type": "atomic" };
}

function setOf(items: Schema): Schema {
  return { type: "array", items, "x-kubernetes-list-type": "set" };
}

/** Items are open objects identified by `keys`. */
function listBy(keys: readonly string[], properties: Readonly<Record<string, Schema>> = {}): Schema {
  // The real schemas have an empty text for what is required and missing.
  const keyed = Object.fromEntries(keys.map((key) => [key, { ...text, default: "" }]));
  const items = open({ ...keyed, ...properties }, keys);
  return { type: "array", items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys };
}

/** References by name, which have one owner each. */
const references: Schema = {
  type: "array",
  items: { ...open({ name: text }), "x-kubernetes-map-type": "atomic" },
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
};

const conditions = listBy(["type"]);
const quantities: Schema = { type: "object", additionalProperties: intOrString };

const labelSelector: Schema = {
  ...closed({
    matchLabels: textMap,
    matchExpressions: atomicList(open({ key: text, operator: text, values: atomicList(text) })),
  }),
  "x-kubernetes-map-type": "atomic",
};

const container: Readonly<Record<string, Schema>> = {
  image: text,
  command: atomicList(text),
  args: atomicList(text),
  env: listBy(["name"], { value: text }),
  ports: listBy(["containerPort", "protocol"], {
    containerPort: int32,
    protocol: { type: "string", default: "TCP" },
  }),
  volumeMounts: listBy(["mountPath"]),
  resources: open({ limits: quantities, requests: quantities }),
};

const podSpec = open({
  nodeName: text,
  hostname: text,
  subdomain: text,
  serviceAccountName: text,
  restartPolicy: text,
  dnsPolicy: text,
  activeDeadlineSeconds: integer,
  terminationGracePeriodSeconds: integer,
  containers: listBy(["name"], container),
  initContainers: listBy(["name"], container),
  ephemeralContainers: listBy(["name"], container),
  volumes: listBy(["name"]),
  imagePullSecrets: references,
  hostAliases: listBy(["ip"]),
  tolerations: atomicList(free),
  nodeSelector: { ...textMap, "x-kubernetes-map-type": "atomic" },
  readinessGates: atomicList(free),
});

const podTemplate = closed({ metadata: free, spec: podSpec });

const workloadStatus = open({ conditions });

const subjects = atomicList({ ...open({ kind: text, name: text }), "x-kubernetes-map-type": "atomic" });
const roleRef: Schema = {
  ...open({ apiGroup: text, kind: text, name: text }, ["kind", "name"]),
  "x-kubernetes-map-type": "atomic",
};
const rules = atomicList(free);

/** Members beside apiVersion, kind and metadata, by kind. */
export const CORE_SCHEMAS = {
  Namespace: closed({
    spec: closed({ finalizers: atomicList(text) }),
    status: open({ phase: text, conditions }),
  }),
  Node: closed({
    spec: open({
      providerID: text,
      unschedulable: flag,
      podCIDR: text,
      podCIDRs: setOf(text),
      taints: atomicList(open({ key: text, value: text, effect: text, timeAdded: time })),
    }),
    status: open({
      phase: text,
      capacity: quantities,
      allocatable: quantities,
      conditions,
      addresses: listBy(["type"], { address: text }),
      nodeInfo: open({ kubeletVersion: text }),
      images: atomicList(free),
      volumesAttached: atomicList(free),
      volumesInUse: atomicList(text),
    }),
  }),
  Secret: closed({
    data: bytesMap,
    stringData: nullableTexts,
    type: text,
    immutable: flag,
  }),
  ConfigMap: closed({ data: nullableTexts, binaryData: bytesMap, immutable: flag }),
  Event: closed(
    {
      involvedObject: {
        ...open({ kind: text, name: text, namespace: text, uid: text }),
        "x-kubernetes-map-type": "atomic",
      },
      related: atomicFree,
      reason: text,
      message: text,
      type: text,
      action: text,
      count: int32,
      source: open({ component: text, host: text }),
      series: free,
      eventTime: { ...text, nullable: true },
      firstTimestamp: { ...text, nullable: true },
      lastTimestamp: { ...text, nullable: true },
      reportingComponent: text,
      reportingInstance: text,
    },
    ["involvedObject"],
  ),
  Pod: closed({
    spec: podSpec,
    status: open({ phase: text, conditions, podIPs: listBy(["ip"]), containerStatuses: atomicList(free) }),
  }),
  ServiceAccount: closed({
    secrets: references,
    imagePullSecrets: atomicList(open({ name: text })),
    automountServiceAccountToken: flag,
  }),
  DaemonSet: closed({
    spec: open({ selector: labelSelector, template: podTemplate }),
    status: workloadStatus,
  }),
  Deployment: closed({
    spec: open({ replicas: { ...int32, default: 1 }, selector: labelSelector, template: podTemplate }),
    status: workloadStatus,
  }),
  Lease: closed({
    spec: open({
      holderIdentity: text,
      leaseDurationSeconds: int32,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: int32,
    }),
  }),
  PodDisruptionBudget: closed({
    spec: open({ minAvailable: intOrString, maxUnavailable: intOrString, selector: labelSelector }),
    status: open({ conditions, disruptionsAllowed: int32 }),
  }),
  PersistentVolume: closed({
    spec: open({
      accessModes: atomicList(text),
      capacity: quantities,
      claimRef: { ...open({ namespace: text, name: text, uid: text }), "x-kubernetes-map-type": "granular" },
      csi: open({ driver: text, volumeHandle: text }),
      mountOptions: atomicList(text),
      persistentVolumeReclaimPolicy: text,
      storageClassName: text,
      volumeMode: text,
    }),
    status: open({ phase: text, reason: text, message: text }),
  }),
  VolumeAttachment: closed({
    spec: open({ attacher: text, nodeName: text, source: free }),
    status: open({ attached: flag }),
  }),
  CustomResourceDefinition: closed({
    spec: open({ versions: atomicList(free), names: free, group: text, scope: text }),
    status: open({
      conditions,
      storedVersions: atomicList(text),
      acceptedNames: free,
    }),
  }),
  Role: closed({ rules }),
  ClusterRole: closed({ rules, aggregationRule: free }),
  RoleBinding: closed({ roleRef, subjects }, ["roleRef"]),
  ClusterRoleBinding: closed({ roleRef, subjects }, ["roleRef"]),
  WebhookConfiguration: closed({ webhooks: listBy(["name"]) }),
  AccessReview: closed({ spec: free, status: free }),
} as const satisfies Readonly<Record<string, Schema>>;
