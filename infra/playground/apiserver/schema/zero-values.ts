import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../objects/json.ts";
import { omit } from "../objects/kube-object.ts";

/**
 * Fields that objects of compiled-in kinds always carry, because their Go types have structs that are never
 * absent; they have no owner. Source: Kubernetes v1.34, staging/src/k8s.io/api
 */
const NODE_INFO = [
  "machineID",
  "systemUUID",
  "bootID",
  "kernelVersion",
  "osImage",
  "containerRuntimeVersion",
  "kubeletVersion",
  "kubeProxyVersion",
  "operatingSystem",
  "architecture",
];

const SPEC_AND_STATUS = { spec: {}, status: {} };

export const ZERO_VALUES = {
  Node: {
    spec: {},
    status: {
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo: Object.fromEntries(NODE_INFO.map((name) => [name, ""])),
    },
  },
  Pod: SPEC_AND_STATUS,
  Namespace: SPEC_AND_STATUS,
  PodDisruptionBudget: SPEC_AND_STATUS,
  PersistentVolume: SPEC_AND_STATUS,
  Lease: { spec: {} },
  CustomResourceDefinition: {
    spec: { group: "", names: { plural: "", kind: "" }, scope: "", versions: null },
  },
  Event: {
    involvedObject: {},
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: "",
    reportingInstance: "",
  },
} as const satisfies Readonly<Record<string, JsonObject>>;

/** The status with these times in each of its conditions: null when they were never set. */
export function withConditionTimes(status: JsonObject, names: readonly string[]): JsonObject {
  const { conditions } = status;
  if (!Array.isArray(conditions)) return status;
  const unset = Object.fromEntries(names.map((name) => [name, null]));
  const filled = conditions.map((one: Json) => (isJsonObject(one) ? { ...unset, ...one } : one));
  return { ...status, conditions: filled };
}

/** Members that Go leaves out when they are empty, by kind: dotted paths. Source: the `omitempty` tags of k8s.io/api */
export const OMITTED_WHEN_EMPTY = {
  ConfigMap: ["data", "binaryData"],
  Secret: ["data"],
  ServiceAccount: ["secrets", "imagePullSecrets"],
  Node: ["spec.providerID", "spec.unschedulable", "spec.taints", "status.conditions", "status.addresses"],
  Pod: ["status.conditions"],
  Namespace: ["spec.finalizers", "status.conditions"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The object without those of its members that are empty: `{}`, `[]`, `""`, `false`, null. */
export function withoutEmpty<T extends JsonObject>(object: T, paths: readonly string[]): T {
  return paths.reduce((rest, path) => withoutEmptyAt(rest, path.split(".")), object);
}

function withoutEmptyAt<T extends JsonObject>(object: T, [name = "", ...below]: readonly string[]): T {
  const value = object[name];
  if (below.length === 0) return value !== undefined && isEmpty(value) ? omit(object, name) : object;
  if (!isJsonObject(value)) return object;
  const kept = withoutEmptyAt(value, below);
  return kept === value ? object : { ...object, [name]: kept };
}

function isEmpty(value: Json): boolean {
  if (isJsonArray(value) || isJsonObject(value)) return Object.keys(value).length === 0;
  return value === null || value === false || value === "";
}

/** The object with everything its kind always carries. */
export function withZeroValues<T extends JsonObject>(zero: JsonObject, object: T): T {
  const filled: Record<string, Json> = { ...object };
  for (const [name, value] of Object.entries(zero)) {
    const present = object[name];
    if (present === undefined || (present === null && isJsonObject(value))) filled[name] = value;
    else if (isJsonObject(value) && isJsonObject(present)) filled[name] = withZeroValues(value, present);
  }
  return filled as T;
}
