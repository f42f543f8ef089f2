import { isJsonObject, type Json, type JsonObject } from "../objects/json.ts";
import { listAt, objectAt, textAt } from "../objects/kube-object.ts";

/** Defaults of a Pod. Source: Kubernetes v1.34, pkg/apis/core/v1/defaults.go */
const SPEC = {
  restartPolicy: "Always",
  dnsPolicy: "ClusterFirst",
  schedulerName: "default-scheduler",
  terminationGracePeriodSeconds: 30,
  enableServiceLinks: true,
  securityContext: {},
} as const satisfies JsonObject;

const CONTAINER = {
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
} as const satisfies JsonObject;

/** A Pod's spec with all defaults. */
export function withPodDefaults(spec: JsonObject): JsonObject {
  const { serviceAccountName, volumes } = spec;
  return {
    ...SPEC,
    ...spec,
    ...withContainers(spec, "containers"),
    ...withContainers(spec, "initContainers"),
    // Its former name.
    ...(serviceAccountName === undefined ? {} : { serviceAccount: serviceAccountName }),
    ...(volumes === undefined ? {} : { volumes: listAt(spec, "volumes").map(withSource) }),
  };
}

/** A volume of nothing else is an empty folder. */
function withSource(volume: Json): Json {
  return isJsonObject(volume) && Object.keys(volume).every((member) => member === "name")
    ? { ...volume, emptyDir: {} }
    : volume;
}

/** A Pod stays this long on a Node that fails. */
const FAILING_NODE_SECONDS = 300;

/**
 * Fields that admission adds to a Pod. Source: Kubernetes v1.34,
 * plugin/pkg/admission/{priority,defaulttolerationseconds}
 */
export function withAdmissionDefaults(spec: JsonObject): JsonObject {
  const tolerations = listAt(spec, "tolerations").filter(isJsonObject);
  const added = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]
    .filter((key) => !tolerations.some((one) => tolerates(one, key)))
    .map((key) => ({
      key,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: FAILING_NODE_SECONDS,
    }));
  const priority = { priority: 0, preemptionPolicy: "PreemptLowerPriority" };
  return { ...priority, ...spec, tolerations: [...tolerations, ...added] };
}

function tolerates(toleration: JsonObject, key: string): boolean {
  const { key: tolerated = "", effect = "" } = toleration;
  return (tolerated === key || tolerated === "") && (effect === "NoExecute" || effect === "");
}

function withContainers(spec: JsonObject, member: string): JsonObject {
  const containers = listAt(spec, member);
  if (containers.length === 0) return {};
  return { [member]: containers.map((one) => (isJsonObject(one) ? withContainerDefaults(one) : one)) };
}

function withContainerDefaults(container: JsonObject): JsonObject {
  const { limits, ...given } = objectAt(container, "resources");
  const requests = { ...(isJsonObject(limits) ? limits : {}), ...objectAt(given, "requests") };
  const resources = limits === undefined ? given : { ...given, limits, requests };
  const imagePullPolicy = pullPolicyOf(textAt(container, "image"));
  return { ...CONTAINER, imagePullPolicy, ...container, resources };
}

/** A tag that moves is pulled each time. */
function pullPolicyOf(image: string): Json {
  const tag = image.split("/").at(-1)?.split(":")[1] ?? "latest";
  return tag === "latest" && !image.includes("@") ? "Always" : "IfNotPresent";
}
