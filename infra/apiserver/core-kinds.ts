import { CORE_COLUMNS } from "./core-columns.ts";
import { CORE_SCHEMAS, text } from "./core-schemas.ts";
import { customResourceDefinitionStrategy } from "./crd.ts";
import { type KubeObject, objectAt, textAt } from "./kube-object.ts";
import type { Column, ResourceType, ServedVersion, Strategy } from "./registry.ts";
import type { JsonObject, Schema } from "./schema.ts";

interface CoreKind
  extends Partial<Omit<ResourceType, "versions">>,
    Partial<Omit<ServedVersion, "version" | "schema" | "columns">> {
  readonly kind: string;
  readonly plural: string;
  readonly schema: Schema;
  readonly columns?: readonly Column[];
}

const API_EXTENSIONS = ["api-extensions"];
const CREATE_ONLY = ["create"];
const EVERYTHING_BUT_COLLECTION = ["create", "delete", "get", "list", "patch", "update", "watch"];

/** Objects of a namespace are deleted before it, which this finalizer in its spec stands for. */
export const NAMESPACE_FINALIZER = "kubernetes";

const namespaceStrategy: Strategy = {
  prepare(next, live, subresource) {
    const isDeleting = next.metadata.deletionTimestamp !== undefined;
    const labels = { ...next.metadata.labels, "kubernetes.io/metadata.name": next.metadata.name };
    const given = subresource === "finalize" ? next["spec"] : live?.["spec"];
    const spec = live ? (given ?? {}) : { finalizers: [NAMESPACE_FINALIZER] };
    const status = { ...objectAt(next, "status"), phase: isDeleting ? "Terminating" : "Active" };
    return { ...next, metadata: { ...next.metadata, labels }, spec, status };
  },
};

const secretStrategy: Strategy = {
  prepare(next) {
    const { stringData, ...rest } = next;
    const given = objectAt({ ...(stringData === undefined ? {} : { stringData }) }, "stringData");
    const encoded = Object.entries(given).map(([key, value]) => [
      key,
      Buffer.from(String(value)).toString("base64"),
    ]);
    const data = { ...objectAt(next, "data"), ...Object.fromEntries(encoded) };
    const type = textAt(next, "type") || "Opaque";
    return { ...rest, ...(Object.keys(data).length === 0 ? {} : { data }), type } as KubeObject;
  },
  validate(next, live) {
    const type = textAt(next, "type");
    if (!live || textAt(live, "type") === type) return [];
    const message = `Invalid value: "${type}": field is immutable`;
    return [{ reason: "FieldValueInvalid", message, field: "type" }];
  },
};

/** Nobody runs Pods here; a new one waits. */
const podStrategy: Strategy = {
  prepare(next, live) {
    return live ? next : { ...next, status: { phase: "Pending", qosClass: "BestEffort" } };
  },
};

const ALLOWED: JsonObject = { status: { allowed: true } };

function core(kind: CoreKind): ResourceType {
  const { schema, columns, hasStatus = false, scale, subresources, ...type } = kind;
  const { group = "", plural } = type;
  const served: ServedVersion = {
    version: "v1",
    schema: withTypeMeta(schema),
    hasStatus,
    ...(columns ? { columns } : {}),
    ...(scale ? { scale } : {}),
    ...(subresources ? { subresources } : {}),
  };
  return {
    id: `${group}/${plural}`,
    singular: kind.kind.toLowerCase(),
    listKind: `${kind.kind}List`,
    namespaced: true,
    custom: false,
    hasGeneration: false,
    storageVersion: "v1",
    ...type,
    group,
    versions: [served],
  };
}

function withTypeMeta(schema: Schema): Schema {
  const properties = { apiVersion: text, kind: text, metadata: { type: "object" }, ...schema.properties };
  return { ...schema, properties };
}

const RBAC = { group: "rbac.authorization.k8s.io", nameForm: "path" } as const;
const SCALE = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};
const REVIEW = {
  group: "authorization.k8s.io",
  namespaced: false,
  verbs: CREATE_ONLY,
  schema: CORE_SCHEMAS.AccessReview,
  review: () => ALLOWED,
};

const { Namespace, Node, Secret, ConfigMap, Event, Pod, ServiceAccount } = CORE_SCHEMAS;
const EVENT_FIELDS = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/** The kinds compiled into the server (section 3); all virtual servers share them. */
export const CORE_KINDS: readonly ResourceType[] = [
  core({
    kind: "Namespace",
    plural: "namespaces",
    shortNames: ["ns"],
    namespaced: false,
    nameForm: "label",
    hasStatus: true,
    schema: Namespace,
    columns: CORE_COLUMNS.Namespace,
    verbs: EVERYTHING_BUT_COLLECTION,
    selectableFields: ["status.phase"],
    subresources: { finalize: { kind: "Namespace", verbs: ["update"] } },
    strategy: namespaceStrategy,
  }),
  core({
    kind: "Node",
    plural: "nodes",
    statusOnCreate: true,
    shortNames: ["no"],
    namespaced: false,
    hasStatus: true,
    schema: Node,
    columns: CORE_COLUMNS.Node,
    selectableFields: ["spec.unschedulable"],
  }),
  core({
    kind: "Secret",
    plural: "secrets",
    schema: Secret,
    columns: CORE_COLUMNS.Secret,
    selectableFields: ["type"],
    strategy: secretStrategy,
  }),
  core({
    kind: "ConfigMap",
    plural: "configmaps",
    shortNames: ["cm"],
    schema: ConfigMap,
    columns: CORE_COLUMNS.ConfigMap,
  }),
  core({
    kind: "Event",
    plural: "events",
    shortNames: ["ev"],
    schema: Event,
    columns: CORE_COLUMNS.Event,
    selectableFields: [
      ...EVENT_FIELDS.map((field) => `involvedObject.${field}`),
      "reason",
      "type",
      "reportingComponent",
      "source",
    ],
  }),
  core({
    kind: "Pod",
    plural: "pods",
    shortNames: ["po"],
    categories: ["all"],
    hasStatus: true,
    hasGeneration: true,
    schema: Pod,
    columns: CORE_COLUMNS.Pod,
    selectableFields: [
      "spec.nodeName",
      "status.phase",
      "status.podIP",
      "spec.restartPolicy",
      "spec.schedulerName",
    ],
    strategy: podStrategy,
  }),
  core({
    kind: "ServiceAccount",
    plural: "serviceaccounts",
    shortNames: ["sa"],
    schema: ServiceAccount,
    columns: CORE_COLUMNS.ServiceAccount,
  }),
  core({
    kind: "DaemonSet",
    plural: "daemonsets",
    group: "apps",
    shortNames: ["ds"],
    categories: ["all"],
    hasStatus: true,
    hasGeneration: true,
    schema: CORE_SCHEMAS.DaemonSet,
    columns: CORE_COLUMNS.DaemonSet,
  }),
  core({
    kind: "Deployment",
    plural: "deployments",
    group: "apps",
    shortNames: ["deploy"],
    categories: ["all"],
    hasStatus: true,
    hasGeneration: true,
    scale: SCALE,
    schema: CORE_SCHEMAS.Deployment,
    columns: CORE_COLUMNS.Deployment,
  }),
  core({
    kind: "Lease",
    plural: "leases",
    group: "coordination.k8s.io",
    schema: CORE_SCHEMAS.Lease,
    columns: CORE_COLUMNS.Lease,
  }),
  core({
    kind: "PodDisruptionBudget",
    plural: "poddisruptionbudgets",
    group: "policy",
    shortNames: ["pdb"],
    hasStatus: true,
    hasGeneration: true,
    schema: CORE_SCHEMAS.PodDisruptionBudget,
    columns: CORE_COLUMNS.PodDisruptionBudget,
  }),
  core({
    kind: "VolumeAttachment",
    plural: "volumeattachments",
    group: "storage.k8s.io",
    namespaced: false,
    hasStatus: true,
    schema: CORE_SCHEMAS.VolumeAttachment,
    columns: CORE_COLUMNS.VolumeAttachment,
  }),
  core({
    kind: "CustomResourceDefinition",
    plural: "customresourcedefinitions",
    group: "apiextensions.k8s.io",
    shortNames: ["crd", "crds"],
    categories: API_EXTENSIONS,
    namespaced: false,
    hasStatus: true,
    hasGeneration: true,
    schema: CORE_SCHEMAS.CustomResourceDefinition,
    columns: CORE_COLUMNS.CreatedAt,
    strategy: customResourceDefinitionStrategy,
  }),
  core({
    ...RBAC,
    kind: "Role",
    plural: "roles",
    schema: CORE_SCHEMAS.Role,
    columns: CORE_COLUMNS.CreatedAt,
  }),
  core({
    ...RBAC,
    kind: "ClusterRole",
    plural: "clusterroles",
    namespaced: false,
    schema: CORE_SCHEMAS.ClusterRole,
    columns: CORE_COLUMNS.CreatedAt,
  }),
  core({
    ...RBAC,
    kind: "RoleBinding",
    plural: "rolebindings",
    schema: CORE_SCHEMAS.RoleBinding,
    columns: CORE_COLUMNS.Binding,
  }),
  core({
    ...RBAC,
    kind: "ClusterRoleBinding",
    plural: "clusterrolebindings",
    namespaced: false,
    schema: CORE_SCHEMAS.ClusterRoleBinding,
    columns: CORE_COLUMNS.Binding,
  }),
  ...["Validating", "Mutating"].map((prefix) =>
    core({
      kind: `${prefix}WebhookConfiguration`,
      plural: `${prefix.toLowerCase()}webhookconfigurations`,
      group: "admissionregistration.k8s.io",
      categories: API_EXTENSIONS,
      namespaced: false,
      hasGeneration: true,
      schema: CORE_SCHEMAS.WebhookConfiguration,
      columns: CORE_COLUMNS.WebhookConfiguration,
    }),
  ),
  core({ ...REVIEW, kind: "SelfSubjectAccessReview", plural: "selfsubjectaccessreviews" }),
  core({ ...REVIEW, kind: "SubjectAccessReview", plural: "subjectaccessreviews" }),
];
