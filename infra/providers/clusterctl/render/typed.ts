import { readFile } from "node:fs/promises";
import type { Manifest } from "../../../../shared/contract/rules/release/subject.ts";
import { isObject, isText, type Members } from "../../../platform/kube/kind-shapes.ts";
import { FILE_BOUNDS, readYaml, YamlError } from "../../../platform/yaml/read-yaml.ts";
import type { Lookup } from "../variables/substitute.ts";
import { mapList, mapMember } from "./namespaces.ts";

/** `images` of a clusterctl configuration: by `all`, provider label, or provider label and name of the image. */
export type ImageOverrides = ReadonlyMap<string, ImageOverride>;

export interface ImageOverride {
  readonly repository?: string | undefined;
  readonly name?: string | undefined;
  readonly tag?: string | undefined;
}

/** Values of variables and image overrides, as a clusterctl configuration holds them. */
export interface Values {
  readonly lookup: Lookup;
  readonly overrides: ImageOverrides;
}

export const NO_VALUES: Values = { lookup: () => undefined, overrides: new Map() };

/** A variable has a value that is not a text. `message` names it, never the value. */
export class ValueError extends Error {}

/** UTF-16 units; an environment variable of Linux has at most 128 KiB. */
const MAX_VALUE = 128 * 1024;

/**
 * Reads a file in the form of a clusterctl configuration: a map from names to texts, numbers or booleans, and `images`.
 * Upper and lower case of a name are the same, as in clusterctl. Throws with file and line where it is not one; a value
 * of another type is an error only once it is looked up.
 */
export async function readValues(file: string): Promise<Values> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new Error(`cannot read ${file}: ${error.message}`);
  });
  const content = contentOf(text, file);
  const byName = new Map(Object.entries(content).map(([name, value]) => [name.toLowerCase(), value]));
  const lookup: Lookup = (name) => toText(byName.get(name.toLowerCase()), `${file}: ${name}`);
  return { lookup, overrides: overridesOf(byName.get("images"), file) };
}

/** Looks for values as clusterctl does: the environment, by the name in upper case, comes before the file. */
export function withEnvironment({ lookup, overrides }: Values, variables: NodeJS.ProcessEnv): Values {
  const inEnvironment: Lookup = (name) => {
    const key = name.toUpperCase();
    return Object.hasOwn(variables, key) ? toText(variables[key], `environment variable ${key}`) : undefined;
  };
  return { lookup: (name) => inEnvironment(name) ?? lookup(name), overrides };
}

function contentOf(text: string, file: string): Members {
  try {
    const [document, more] = readYaml(text, FILE_BOUNDS);
    const content = document?.value ?? {};
    if (isObject(content) && more === undefined) return content;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const { line, bound } = error;
    // Its other words may quote a value.
    const problem = line === undefined ? bound : `line ${line} is not YAML`;
    throw new Error(`${file}: ${problem}; write NAME: value as in clusterctl.yaml`, { cause: error });
  }
  throw new Error(`${file}: not a map from names to values; write NAME: value as in clusterctl.yaml`);
}

function toText(value: unknown, where: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  if (typeof text !== "string") throw new ValueError(`${where} is not a text; put it in quotes`);
  if (text.length > MAX_VALUE)
    throw new ValueError(`${where} has more than ${MAX_VALUE} characters; shorten it`);
  return text;
}

function overridesOf(images: unknown, file: string): ImageOverrides {
  if (images === undefined || images === null) return new Map();
  if (!isObject(images)) throw new Error(`${file}: images is not a map; write all: {repository: …}`);
  return new Map(
    Object.entries(images).map(([key, value]) => [
      key.toLowerCase(),
      toOverride(value, `${file}: images.${key}`),
    ]),
  );
}

function toOverride(value: unknown, where: string): ImageOverride {
  if (!isObject(value)) throw new Error(`${where} is not a map; write repository, name or tag`);
  const { repository, name, tag } = value;
  const isOptionalText = (member: unknown): member is string | undefined =>
    member === undefined || isText(member);
  if (isOptionalText(repository) && isOptionalText(name) && isOptionalText(tag))
    return { repository, name, tag };
  throw new Error(`${where} has a member that is not a text; put it in quotes`);
}

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
