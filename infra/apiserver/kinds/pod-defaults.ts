import { isJsonObject, type Json, type JsonObject } from "../schema/schema.ts";
import { listAt, omit, textAt } from "../storage/kube-object.ts";

/**
 * What a Pod is given that does not say it. Source: Kubernetes v1.34, pkg/apis/core/v1/defaults.go
 */
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

/** A Pod's spec with all defaults; nobody runs Pods here, so one without containers is taken as it is. */
export function withPodDefaults(spec: JsonObject): JsonObject {
  if (listAt(spec, "containers").length === 0) return omit(spec, "containers");
  return {
    ...SPEC,
    ...spec,
    ...withContainers(spec, "containers"),
    ...withContainers(spec, "initContainers"),
  };
}

function withContainers(spec: JsonObject, member: string): JsonObject {
  const containers = listAt(spec, member);
  if (containers.length === 0) return {};
  return { [member]: containers.map((one) => (isJsonObject(one) ? withContainerDefaults(one) : one)) };
}

function withContainerDefaults(container: JsonObject): JsonObject {
  return { ...CONTAINER, imagePullPolicy: pullPolicyOf(textAt(container, "image")), ...container };
}

/** A tag that moves is pulled each time. */
function pullPolicyOf(image: string): Json {
  const tag = image.split("/").at(-1)?.split(":")[1] ?? "latest";
  return tag === "latest" && !image.includes("@") ? "Always" : "IfNotPresent";
}
