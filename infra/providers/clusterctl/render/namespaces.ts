import { valueAt } from "../../../../shared/api/path.ts";
import { isClusterScoped } from "../../../../shared/contract/rules/release/cluster-scoped.ts";
import type { Manifest, ManifestDocument } from "../../../../shared/contract/rules/release/subject.ts";
import { isObject } from "../../../platform/kube/kind-shapes.ts";
import { readYaml, type YamlBounds, YamlError } from "../../../platform/yaml/read-yaml.ts";

/** The most bytes of one file and of a whole release. */
export const MAX_RELEASE_BYTES = 64 * 1024 * 1024;

/** The bounds of one file of a release; components of the largest providers have 10 MB. */
const BOUNDS: YamlBounds = {
  maxBytes: MAX_RELEASE_BYTES,
  maxDocuments: 10_000,
  maxMarks: 4_000_000,
  maxAliases: 1_000,
};

/** The text is not a stream of objects. `line` is from 1. */
export class ManifestError extends Error {
  readonly line: number | undefined;
  /** The reason without the line; it may quote the text. */
  readonly reason: string;
  /** A bound was exceeded: whatever the text says, it is not read. */
  readonly isTooLarge: boolean;
  constructor(
    reason: string,
    { line, isTooLarge = false, cause }: { line?: number | undefined; isTooLarge?: boolean; cause?: unknown },
  ) {
    super(line === undefined ? reason : `line ${line}: ${reason}`, { cause });
    this.name = "ManifestError";
    this.line = line;
    this.reason = reason;
    this.isTooLarge = isTooLarge;
  }
}

/** Reads the objects of a YAML text, without empty documents. Throws ManifestError. */
export function readObjects(text: string): readonly ManifestDocument[] {
  return documentsOf(text).flatMap(({ value, line }) => {
    if (value === undefined || value === null) return [];
    if (isObject(value)) return [{ value, line }];
    throw new ManifestError("the document is not an object; write apiVersion, kind and metadata", { line });
  });
}

function documentsOf(text: string) {
  try {
    return readYaml(text, BOUNDS);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const { line, bound, cause } = error;
    const reason = line === undefined ? error.message : error.message.replace(`line ${line}: `, "");
    throw new ManifestError(reason, { line, isTooLarge: bound !== undefined, cause });
  }
}

const INJECT_CA = "cert-manager.io/inject-ca-from";
const WEBHOOKS: ReadonlySet<unknown> = new Set([
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
]);
const BINDINGS: ReadonlySet<unknown> = new Set(["ClusterRoleBinding", "RoleBinding"]);

/**
 * Returns the object as clusterctl puts it into the target namespace: its own namespace, the namespaces of subjects, of
 * webhook services and of injected certificates, and DNS names of a Certificate. Every other place that names a
 * namespace stays. Throws with the object's name where clusterctl refuses it. Source: PC-7.
 */
export function withNamespace(object: Manifest, target: string): Manifest {
  const { kind } = object;
  if (kind === "Namespace") return withMetadata(object, { name: target });
  const placed =
    typeof kind === "string" && isClusterScoped(kind) ? object : withMetadata(object, { namespace: target });
  if (BINDINGS.has(kind)) return withSubjects(placed, target);
  if (WEBHOOKS.has(kind)) return withServices(withInjection(placed, target), target);
  if (kind === "CustomResourceDefinition") return withConversion(withInjection(placed, target), target);
  if (kind === "Certificate") return withDnsNames(placed, valueAt(object, "metadata.namespace"), target);
  return placed;
}

/** Sets members of `metadata`. */
export function withMetadata(object: Manifest, members: Manifest): Manifest {
  const { metadata } = object;
  return { ...object, metadata: { ...(isObject(metadata) ? metadata : {}), ...members } };
}

function withSubjects(object: Manifest, namespace: string): Manifest {
  return mapList(object, "subjects", (subject) =>
    (subject["namespace"] ?? "") === "" ? subject : { ...subject, namespace },
  );
}

function withInjection(object: Manifest, target: string): Manifest {
  const annotations = valueAt(object, "metadata.annotations");
  const injected = isObject(annotations) ? annotations[INJECT_CA] : undefined;
  if (injected === undefined) return object;
  const [, name, more] = typeof injected === "string" ? injected.split("/") : [];
  if (name === undefined || more !== undefined) {
    throw new Error(
      `${nameOf(object)}: annotation ${INJECT_CA} is not of the form namespace/name; correct it`,
    );
  }
  return withMetadata(object, {
    annotations: { ...(annotations as Manifest), [INJECT_CA]: `${target}/${name}` },
  });
}

function withServices(object: Manifest, namespace: string): Manifest {
  return mapList(object, "webhooks", (webhook) =>
    mapMember(webhook, "clientConfig", (config) => withService(config, namespace)),
  );
}

/** `webhook.clientConfig` of v1, `webhookClientConfig` of v1beta1. */
function withConversion(object: Manifest, namespace: string): Manifest {
  const inClient = (config: Manifest): Manifest => withService(config, namespace);
  return mapMember(object, "spec", (spec) =>
    mapMember(spec, "conversion", (conversion) => {
      if (object["apiVersion"] === "apiextensions.k8s.io/v1beta1") {
        return mapMember(conversion, "webhookClientConfig", inClient);
      }
      return mapMember(conversion, "webhook", (webhook) => mapMember(webhook, "clientConfig", inClient));
    }),
  );
}

function withService(config: Manifest, namespace: string): Manifest {
  return mapMember(config, "service", (service) => ({ ...service, namespace }));
}

/** The first place of the old namespace in each name; a Certificate without one has `..` in no name. */
function withDnsNames(object: Manifest, original: unknown, target: string): Manifest {
  const before = `.${typeof original === "string" ? original : ""}.`;
  return mapMember(object, "spec", (spec) => {
    const { dnsNames } = spec;
    if (dnsNames === undefined) return spec;
    if (!isListOfTexts(dnsNames)) {
      throw new Error(`${nameOf(object)}: spec.dnsNames is not a list of texts; correct it`);
    }
    return { ...spec, dnsNames: dnsNames.map((name) => name.replace(before, () => `.${target}.`)) };
  });
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Changes a member that is an object; one of another type stays. */
export function mapMember(object: Manifest, member: string, change: (value: Manifest) => Manifest): Manifest {
  const value = object[member];
  return isObject(value) ? { ...object, [member]: change(value) } : object;
}

/** Changes the objects of a list. */
export function mapList(object: Manifest, member: string, change: (item: Manifest) => Manifest): Manifest {
  const list = object[member];
  if (!Array.isArray(list)) return object;
  return { ...object, [member]: list.map((item: unknown) => (isObject(item) ? change(item) : item)) };
}

export function nameOf(object: Manifest): string {
  return `${String(object["kind"])} ${String(valueAt(object, "metadata.name"))}`;
}
