import { type Cause, invalidValue, required } from "../errors/status-error.ts";
import { type JsonObject, memberOf } from "../objects/json.ts";
import { objectAt, textAt } from "../objects/kube-object.ts";
import type { Schema } from "../schema/schema.ts";
import { OMITTED_WHEN_EMPTY, withConditionTimes, ZERO_VALUES } from "../schema/zero-values.ts";
import { CORE_COLUMNS } from "./core-columns.ts";
import { CORE_SCHEMAS } from "./core-schemas.ts";
import { configMapStrategy, namespaceStrategy, podStrategy, secretStrategy } from "./core-strategies.ts";
import { customResourceDefinitionStrategy } from "./crd.ts";
import { qualifiedNameCauses } from "./metadata.ts";
import type { Column, ResourceType, ServedVersion, Strategy } from "./registry.ts";

const EVERYTHING_BUT_COLLECTION = ["create", "delete", "get", "list", "patch", "update", "watch"];

const SCALE = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};

const INVOLVED = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
const EVENT_FIELDS = [
  ...INVOLVED.map((field) => `involvedObject.${field}`),
  "reason",
  "type",
  "reportingComponent",
  "source",
];
const POD_FIELDS = [
  "spec.nodeName",
  "status.phase",
  "status.podIP",
  "spec.restartPolicy",
  "spec.schedulerName",
];
const MAX_LENGTH = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;

/** Members of an Event with `eventTime`, which is how newer clients report. */
const REQUIRED = ["reportingComponent", "reportingInstance", "action", "reason"];

/** Source: Kubernetes v1.34, pkg/apis/core/validation/events.go */
const eventStrategy: Strategy = {
  validate(next) {
    const { namespace = "" } = next.metadata;
    const involved = textAt(objectAt(next, "involvedObject"), "namespace");
    const isNew = textAt(next, "eventTime") !== "";
    const homes = isNew ? ["default", "kube-system"] : ["default"];
    const isAtHome = involved === "" ? homes.includes(namespace) : isNew || involved === namespace;
    return [
      ...(isAtHome
        ? []
        : [invalidValue("involvedObject.namespace", involved, "does not match event.namespace")]),
      ...(isNew ? reportCauses((member) => textAt(next, member)) : []),
    ];
  },
};

function reportCauses(textOf: (member: string) => string): Cause[] {
  const tooLong = Object.entries(MAX_LENGTH).filter(([member, max]) => textOf(member).length > max);
  return [
    ...REQUIRED.filter((member) => textOf(member) === "").map((member) => required(member)),
    ...qualifiedNameCauses(textOf("reportingComponent"), "reportingComponent"),
    ...tooLong.map(([member, max]) => invalidValue(member, "", `can have at most ${max} characters`)),
  ];
}

/** A Node that says only what it has can give all of it away. */
const nodeStrategy: Strategy = {
  defaults(next) {
    const times = ["lastHeartbeatTime", "lastTransitionTime"];
    const status = withConditionTimes(objectAt(next, "status"), times);
    const { capacity, allocatable = capacity } = status;
    return { ...next, status: { ...status, ...(allocatable === undefined ? {} : { allocatable }) } };
  },
};

/** No controller binds volumes here: one that nothing is written about stays Pending. */
const persistentVolumeStrategy: Strategy = {
  defaults(next) {
    const given = objectAt(next, "spec");
    return { ...next, spec: { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem", ...given } };
  },
  prepare(next, live) {
    return live ? next : { ...next, status: { phase: "Pending" } };
  },
};

/** Traits of a compiled-in kind; those that are left out are as most kinds have them. */
interface CoreKind
  extends Partial<Omit<ResourceType, "versions">>,
    Partial<Omit<ServedVersion, "version" | "schema" | "columns">> {
  /** The kind whose schema it has; default: its own. */
  readonly like?: keyof typeof CORE_SCHEMAS;
}

/**
 * Returns the resource type of a compiled-in kind: in version v1 only, namespaced, without status and generation unless it
 * says otherwise, with the schema, columns and empty fields that the tables have for it.
 */
function core(kind: string, { like, ...more }: CoreKind): ResourceType {
  const { hasStatus = false, scale, subresources, ...type } = more;
  const { group = "", plural = `${kind.toLowerCase()}s` } = type;
  const schema = memberOf<Schema>(CORE_SCHEMAS, like ?? kind) ?? {};
  const columns = memberOf<readonly Column[]>(CORE_COLUMNS, kind);
  const zero = memberOf<JsonObject>(ZERO_VALUES, kind);
  const omitted = memberOf<readonly string[]>(OMITTED_WHEN_EMPTY, kind);
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
    kind,
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    namespaced: true,
    custom: false,
    hasGeneration: false,
    storageVersion: "v1",
    ...type,
    ...(zero ? { zero } : {}),
    ...(omitted ? { omitted } : {}),
    group,
    plural,
    versions: [served],
  };
}

function withTypeMeta(schema: Schema): Schema {
  const text = { type: "string" };
  const properties = { apiVersion: text, kind: text, metadata: { type: "object" }, ...schema.properties };
  return { ...schema, properties };
}

const CLUSTER_WIDE = { namespaced: false } as const;
const WORKED_ON = { hasStatus: true, hasGeneration: true } as const;
const EXTENSION = {
  ...CLUSTER_WIDE,
  plainFinalizers: true,
  needsVersion: true,
  categories: ["api-extensions"],
};
const WEBHOOKS = {
  group: "admissionregistration.k8s.io",
  ...EXTENSION,
  like: "WebhookConfiguration",
} as const;
const RBAC = { group: "rbac.authorization.k8s.io", nameForm: "path", createsOnUpdate: true } as const;
const REVIEW = {
  group: "authorization.k8s.io",
  ...CLUSTER_WIDE,
  verbs: ["create"],
  like: "AccessReview",
} as const;

/**
 * The kinds compiled into the server; all virtual servers share them. Roles are stored and not enforced, reviews are
 * answered.
 */
export const CORE_KINDS: readonly ResourceType[] = [
  core("Namespace", {
    ...CLUSTER_WIDE,
    shortNames: ["ns"],
    nameForm: "label",
    hasStatus: true,
    verbs: EVERYTHING_BUT_COLLECTION,
    selectableFields: ["status.phase"],
    subresources: { finalize: { kind: "Namespace", verbs: ["update"] } },
    strategy: namespaceStrategy,
  }),
  core("Node", {
    ...CLUSTER_WIDE,
    statusOnCreate: true,
    shortNames: ["no"],
    hasStatus: true,
    selectableFields: ["spec.unschedulable"],
    strategy: nodeStrategy,
  }),
  core("Secret", { selectableFields: ["type"], strategy: secretStrategy }),
  core("ConfigMap", { shortNames: ["cm"], strategy: configMapStrategy }),
  core("Event", {
    nameForm: "path",
    plainFinalizers: true,
    createsOnUpdate: true,
    shortNames: ["ev"],
    selectableFields: EVENT_FIELDS,
    strategy: eventStrategy,
  }),
  core("Pod", {
    ...WORKED_ON,
    shortNames: ["po"],
    categories: ["all"],
    subresources: { eviction: { kind: "Eviction", group: "policy", version: "v1", verbs: ["create"] } },
    answersDeleted: true,
    selectableFields: POD_FIELDS,
    strategy: podStrategy,
  }),
  core("ServiceAccount", { shortNames: ["sa"], answersDeleted: true }),
  core("DaemonSet", { ...WORKED_ON, group: "apps", shortNames: ["ds"], categories: ["all"] }),
  core("Deployment", {
    ...WORKED_ON,
    group: "apps",
    shortNames: ["deploy"],
    categories: ["all"],
    scale: SCALE,
  }),
  core("Lease", {
    group: "coordination.k8s.io",
    plainFinalizers: true,
    needsVersion: true,
    createsOnUpdate: true,
  }),
  core("PodDisruptionBudget", { ...WORKED_ON, group: "policy", shortNames: ["pdb"], needsVersion: true }),
  core("PersistentVolume", {
    ...CLUSTER_WIDE,
    shortNames: ["pv"],
    hasStatus: true,
    answersDeleted: true,
    strategy: persistentVolumeStrategy,
  }),
  core("VolumeAttachment", { ...CLUSTER_WIDE, group: "storage.k8s.io", needsVersion: true, hasStatus: true }),
  core("CustomResourceDefinition", {
    ...EXTENSION,
    ...WORKED_ON,
    group: "apiextensions.k8s.io",
    shortNames: ["crd", "crds"],
    strategy: customResourceDefinitionStrategy,
  }),
  core("ValidatingWebhookConfiguration", { ...WEBHOOKS, hasGeneration: true }),
  core("MutatingWebhookConfiguration", { ...WEBHOOKS, hasGeneration: true }),
  core("Role", RBAC),
  core("ClusterRole", { ...RBAC, ...CLUSTER_WIDE }),
  core("RoleBinding", RBAC),
  core("ClusterRoleBinding", { ...RBAC, ...CLUSTER_WIDE }),
  core("SelfSubjectAccessReview", { ...REVIEW, review: "selfAccess" }),
  core("SubjectAccessReview", { ...REVIEW, review: "access" }),
  core("SelfSubjectReview", { ...REVIEW, group: "authentication.k8s.io", review: "selfSubject" }),
];
