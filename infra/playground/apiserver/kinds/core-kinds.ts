import { OMITTED_WHEN_EMPTY, ZERO_VALUES } from "../schema/zero-values.ts";
import { ACCESS_KINDS } from "./access-kinds.ts";
import { configMapStrategy, secretStrategy } from "./config-data.ts";
import { CORE_COLUMNS } from "./core-columns.ts";
import { CORE_SCHEMAS } from "./core-schemas.ts";
import { core } from "./core-type.ts";
import { customResourceDefinitionStrategy } from "./crd.ts";
import { eventStrategy } from "./event.ts";
import { leaseStrategy } from "./lease.ts";
import { namespaceStrategy } from "./namespace.ts";
import { nodeStrategy } from "./node.ts";
import { persistentVolumeStrategy } from "./persistent-volume.ts";
import { podStrategy } from "./pod.ts";
import type { ResourceType } from "./registry.ts";

const API_EXTENSIONS = ["api-extensions"];
const EVERYTHING_BUT_COLLECTION = ["create", "delete", "get", "list", "patch", "update", "watch"];

const SCALE = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};

const { Namespace, Node, Secret, ConfigMap, Event, Pod, ServiceAccount } = CORE_SCHEMAS;
const EVENT_FIELDS = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

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
    zero: ZERO_VALUES.Pod,
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
    plainFinalizers: true,
    needsVersion: true,
    zero: ZERO_VALUES.Spec,
    plural: "leases",
    group: "coordination.k8s.io",
    createsOnUpdate: true,
    schema: CORE_SCHEMAS.Lease,
    columns: CORE_COLUMNS.Lease,
    strategy: leaseStrategy,
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
    columns: CORE_COLUMNS.PersistentVolume,
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
    columns: CORE_COLUMNS.VolumeAttachment,
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
      columns: CORE_COLUMNS.WebhookConfiguration,
    }),
  ),
  ...ACCESS_KINDS,
];
