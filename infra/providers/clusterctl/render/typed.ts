import type { Manifest } from "../../../../shared/contract/rules/release/subject.ts";
import { isObject } from "../../../platform/kube/object-shape.ts";
import { mapList, mapMember } from "./namespaces.ts";

const NO_STATUS = { acceptedNames: { kind: "", plural: "" }, conditions: null, storedVersions: null };
const NO_DAEMONS = {
  currentNumberScheduled: 0,
  desiredNumberScheduled: 0,
  numberMisscheduled: 0,
  numberReady: 0,
};

/**
 * Returns the object as clusterctl writes it after it has read it into a Go structure, which it does with the kinds that
 * it changes: members that are null, empty lists and the zero values of OMITTED are left out, and empty members that
 * have no `omitempty` are added. It drops members unknown to v1.14, too, and an empty `path` of a probe; they stay here. Source: k8s.io/api v0.36
 */
export function asWritten(object: Manifest): Manifest {
  switch (object["kind"]) {
    case "CustomResourceDefinition":
      return { ...withoutZeroes(object), status: object["status"] ?? NO_STATUS };
    case "Deployment":
      return withPodDefaults({ ...withoutZeroes(object), status: object["status"] ?? {} }, "strategy");
    case "DaemonSet":
      return withPodDefaults(
        { ...withoutZeroes(object), status: object["status"] ?? NO_DAEMONS },
        "updateStrategy",
      );
    case "ClusterRoleBinding":
    case "RoleBinding":
    case "MutatingWebhookConfiguration":
    case "ValidatingWebhookConfiguration":
      return withoutZeroes(object);
    default:
      return object;
  }
}

/** Members without a pointer in Go, which leaves them out when they are "", false, 0 or an empty map. */
const OMITTED: ReadonlySet<string> = new Set([
  ..."annotations generateName labels namespace".split(" "),
  ..."matchLabels minReadySeconds paused".split(" "),
  ..."dnsPolicy hostIPC hostNetwork hostPID hostname nodeName nodeSelector overhead priorityClassName".split(
    " ",
  ),
  ..."restartPolicy schedulerName serviceAccount serviceAccountName subdomain".split(" "),
  ..."effect key operator topologyKey value".split(" "),
  ..."hostIP hostPort image imagePullPolicy limits prefix protocol readOnly requests stdin stdinOnce".split(
    " ",
  ),
  ..."subPath subPathExpr terminationMessagePath terminationMessagePolicy tty workingDir".split(" "),
  ..."failureThreshold initialDelaySeconds periodSeconds successThreshold".split(" "),
  ..."fieldPath host medium scheme secretName".split(" "),
  ..."caBundle categories deprecated listKind preserveUnknownFields priority singular".split(" "),
  ..."$ref $schema description exclusiveMaximum exclusiveMinimum format id nullable pattern title type".split(
    " ",
  ),
  ..."uniqueItems x-kubernetes-embedded-resource x-kubernetes-int-or-string".split(" "),
  ..."definitions dependencies patternProperties properties".split(" "),
]);
/** Lists without `omitempty`. */
const KEPT_LISTS: ReadonlySet<string> = new Set(["admissionReviewVersions", "versions"]);
/** Their members have names of users. */
const MAPS: ReadonlySet<string> = new Set(["definitions", "dependencies", "patternProperties", "properties"]);
/** Values of users. */
const OPAQUE: ReadonlySet<string> = new Set([
  "annotations",
  "default",
  "enum",
  "example",
  "labels",
  "matchLabels",
  "nodeSelector",
]);

function withoutZeroes(object: Manifest): Manifest {
  const kept = Object.entries(object).filter(([name, value]) => !isOmitted(name, value));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, OPAQUE.has(name) ? value : writtenValue(name, value)]),
  );
}

function writtenValue(name: string, value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item: unknown) => (isObject(item) ? withoutZeroes(item) : item));
  if (!isObject(value)) return value;
  if (!MAPS.has(name)) return withoutZeroes(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, isObject(each) ? withoutZeroes(each) : each]),
  );
}

function isOmitted(name: string, value: unknown): boolean {
  if (name === "default") return false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0 && !KEPT_LISTS.has(name);
  if (!OMITTED.has(name)) return false;
  return isObject(value) ? Object.keys(value).length === 0 : value === "" || value === false || value === 0;
}

function withPodDefaults(object: Manifest, strategy: string): Manifest {
  const withResources = (container: Manifest): Manifest => ({
    ...container,
    resources: container["resources"] ?? {},
  });
  return mapMember(object, "spec", (spec) => ({
    ...mapMember(spec, "template", (template) => ({
      ...mapMember(template, "spec", (pod) =>
        mapList(mapList(pod, "containers", withResources), "initContainers", withResources),
      ),
      metadata: template["metadata"] ?? {},
    })),
    [strategy]: spec[strategy] ?? {},
  }));
}
