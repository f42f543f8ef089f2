import { type Cause, invalidValue, required } from "../errors/status-error.ts";
import { objectAt, textAt } from "../objects/kube-object.ts";
import { OMITTED_WHEN_EMPTY, withConditionTimes, ZERO_VALUES } from "../schema/zero-values.ts";
import { ACCESS_KINDS } from "./access-kinds.ts";
import { CORE_COLUMNS } from "./core-columns.ts";
import { CORE_SCHEMAS, core } from "./core-schemas.ts";
import { configMapStrategy, namespaceStrategy, podStrategy, secretStrategy } from "./core-strategies.ts";
import { customResourceDefinitionStrategy } from "./crd.ts";
import { qualifiedNameCauses } from "./metadata.ts";
import type { ResourceType, Strategy } from "./registry.ts";

const API_EXTENSIONS = ["api-extensions"];
const EVERYTHING_BUT_COLLECTION = ["create", "delete", "get", "list", "patch", "update", "watch"];

const SCALE = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};

const { Namespace, Node, Secret, ConfigMap, Event, Pod, ServiceAccount } = CORE_SCHEMAS;
const EVENT_FIELDS = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
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

/** The kinds compiled into the server; all virtual servers share them. */
export const CORE_KINDS: readonly ResourceType[] = [
  core({
    kind: "Namespace",
    zero: ZERO_VALUES.SpecAndStatus,
    omitted: OMITTED_WHEN_EMPTY.Namespace,
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
    zero: ZERO_VALUES.Node,
    omitted: OMITTED_WHEN_EMPTY.Node,
    plural: "nodes",
    statusOnCreate: true,
    shortNames: ["no"],
    namespaced: false,
    hasStatus: true,
    schema: Node,
    columns: CORE_COLUMNS.Node,
    selectableFields: ["spec.unschedulable"],
    strategy: nodeStrategy,
  }),
  core({
    kind: "Secret",
    plural: "secrets",
    omitted: OMITTED_WHEN_EMPTY.Secret,
    schema: Secret,
    columns: CORE_COLUMNS.Secret,
    selectableFields: ["type"],
    strategy: secretStrategy,
  }),
  core({
    kind: "ConfigMap",
    plural: "configmaps",
    omitted: OMITTED_WHEN_EMPTY.ConfigMap,
    shortNames: ["cm"],
    schema: ConfigMap,
    columns: CORE_COLUMNS.ConfigMap,
    strategy: configMapStrategy,
  }),
  core({
    kind: "Event",
    nameForm: "path",
    plainFinalizers: true,
    zero: ZERO_VALUES.Event,
    plural: "events",
    createsOnUpdate: true,
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
    strategy: eventStrategy,
  }),
  core({
    kind: "Pod",
    zero: ZERO_VALUES.SpecAndStatus,
    omitted: OMITTED_WHEN_EMPTY.Pod,
    plural: "pods",
    shortNames: ["po"],
    categories: ["all"],
    hasStatus: true,
    hasGeneration: true,
    schema: Pod,
    columns: CORE_COLUMNS.Pod,
    subresources: { eviction: { kind: "Eviction", group: "policy", version: "v1", verbs: ["create"] } },
    answersDeleted: true,
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
    omitted: OMITTED_WHEN_EMPTY.ServiceAccount,
    plural: "serviceaccounts",
    shortNames: ["sa"],
    schema: ServiceAccount,
    columns: CORE_COLUMNS.ServiceAccount,
    answersDeleted: true,
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
    plainFinalizers: true,
    needsVersion: true,
    zero: ZERO_VALUES.Spec,
    plural: "leases",
    group: "coordination.k8s.io",
    createsOnUpdate: true,
    schema: CORE_SCHEMAS.Lease,
    columns: CORE_COLUMNS.Lease,
  }),
  core({
    kind: "PodDisruptionBudget",
    needsVersion: true,
    zero: ZERO_VALUES.SpecAndStatus,
    plural: "poddisruptionbudgets",
    group: "policy",
    shortNames: ["pdb"],
    hasStatus: true,
    hasGeneration: true,
    schema: CORE_SCHEMAS.PodDisruptionBudget,
    columns: CORE_COLUMNS.PodDisruptionBudget,
  }),
  core({
    kind: "PersistentVolume",
    zero: ZERO_VALUES.SpecAndStatus,
    plural: "persistentvolumes",
    shortNames: ["pv"],
    namespaced: false,
    hasStatus: true,
    answersDeleted: true,
    schema: CORE_SCHEMAS.PersistentVolume,
    strategy: persistentVolumeStrategy,
  }),
  core({
    kind: "VolumeAttachment",
    needsVersion: true,
    plural: "volumeattachments",
    group: "storage.k8s.io",
    namespaced: false,
    hasStatus: true,
    schema: CORE_SCHEMAS.VolumeAttachment,
  }),
  core({
    kind: "CustomResourceDefinition",
    plainFinalizers: true,
    needsVersion: true,
    zero: ZERO_VALUES.CustomResourceDefinition,
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
  ...["Validating", "Mutating"].map((prefix) =>
    core({
      kind: `${prefix}WebhookConfiguration`,
      plainFinalizers: true,
      needsVersion: true,
      plural: `${prefix.toLowerCase()}webhookconfigurations`,
      group: "admissionregistration.k8s.io",
      categories: API_EXTENSIONS,
      namespaced: false,
      hasGeneration: true,
      schema: CORE_SCHEMAS.WebhookConfiguration,
    }),
  ),
  ...ACCESS_KINDS,
];
