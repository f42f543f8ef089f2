import { CustomResourceDefinition } from "../../api/core.ts";
import { CLUSTER_NAME_LABEL, TEMPLATE_SUFFIX } from "../../api/indexes.ts";
import {
  apiVersionOf,
  type ContractReference,
  type Kind,
  type KubeObject,
  MANAGEMENT,
} from "../../api/kinds.ts";
import { Machine } from "../../api/machine/machine.ts";
import { valueAt } from "../../api/path.ts";
import { TEMPLATE_PATH } from "../../contract/machine-templates.ts";
import { definitionsOf, type Referenced, resolveAmong } from "../../contract/referenced.ts";
import type { NewObject } from "../../function/define-function.ts";
import type { Reader } from "../../function/reads.ts";
import { controllerReference } from "../metadata/owner-references.ts";
import type { TemplateMetadata } from "./template-keys.ts";

const CLONED_FROM_NAME = "cluster.x-k8s.io/cloned-from-name";
const CLONED_FROM_GROUP_KIND = "cluster.x-k8s.io/cloned-from-groupkind";
/** The fields that say from which template an object was cloned. */
export const CLONED_FROM_FIELDS = [
  `metadata.annotations[${CLONED_FROM_NAME}]`,
  `metadata.annotations[${CLONED_FROM_GROUP_KIND}]`,
] as const;

/** A template as the API server has it, and the kind of its clones. */
export interface CloneSource {
  readonly template: KubeObject;
  readonly kind: Kind;
}

/** Returns a reference to the clone of a template under a name. */
export function cloneReference({ apiGroup, kind }: ContractReference, name: string): ContractReference {
  return { apiGroup, kind: kindOfClones(kind), name };
}

/** Returns the kind of the objects that are made from templates of a kind: `SimMachine` for `SimMachineTemplate`. */
export function kindOfClones(kind: string): string {
  return kind.endsWith(TEMPLATE_SUFFIX) ? kind.slice(0, -TEMPLATE_SUFFIX.length) : kind;
}

/**
 * Reads a template live, and finds the kind of its clones, in the version in which the template was read. Returns why
 * nothing can be cloned as a `problem`: it is missing, or one of the two kinds is not served.
 */
export async function readCloneSource(
  read: Pick<Reader, "list" | "live">,
  reference: ContractReference,
  namespace: string,
): Promise<CloneSource | { readonly problem: string }> {
  const { kind, name, apiGroup } = reference;
  if (!kind.endsWith(TEMPLATE_SUFFIX)) {
    return { problem: `${kind} ${name} is not a template; reference a kind that ends in ${TEMPLATE_SUFFIX}` };
  }
  const found = await read.live.referenced(reference, namespace);
  if (found.state === "unresolved") return { problem: found.message };
  if (found.state === "missing") return { problem: `${kind} ${namespace}/${name} does not exist` };
  const type = { apiGroup, kind: kindOfClones(kind) };
  const resolved = resolveAmong(await read.list(CustomResourceDefinition, definitionsOf(type)), type);
  if (resolved.state === "unresolved") return { problem: resolved.message };
  return { template: found.object, kind: { ...resolved.kind, version: found.kind.version } };
}

/**
 * Returns the clone of a template for a Machine: of its name, with the Machine as controller. It has no uid, finalizer,
 * owner or managed field of the template, and no status.
 */
export function cloneFor(
  machine: Machine,
  { template, kind }: CloneSource,
  { labels, annotations }: TemplateMetadata,
): NewObject {
  const { metadata: own, status: _, ...rest } = contentOf(template);
  const object: KubeObject = {
    ...rest,
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: {
      name: machine.metadata.name,
      namespace: machine.metadata.namespace,
      labels: {
        ...textsAt(own, "labels"),
        ...labels,
        [CLUSTER_NAME_LABEL]: machine.spec.clusterName,
      },
      annotations: {
        ...textsAt(own, "annotations"),
        ...annotations,
        [CLONED_FROM_NAME]: template.metadata.name,
        [CLONED_FROM_GROUP_KIND]: groupKindOf(template.kind, kind.group),
      },
      ownerReferences: [controllerReference(Machine, machine)],
    },
  };
  return { cluster: MANAGEMENT, kind, object };
}

/**
 * Returns what is cloned of a template; empty where it has no `spec.template`, as one with metadata only, which is complete
 * where its provider needs nothing.
 */
export function contentOf(template: KubeObject): { readonly [field: string]: unknown } {
  const content = valueAt(template, TEMPLATE_PATH);
  return typeof content === "object" && content !== null && !Array.isArray(content) ? { ...content } : {};
}

/** Reads only texts: a template without schema may hold anything. */
function textsAt(metadata: unknown, field: "labels" | "annotations"): { readonly [key: string]: string } {
  const values = valueAt(metadata, field);
  if (typeof values !== "object" || values === null) return {};
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === "string"));
}

function groupKindOf(kind: string, group: string): string {
  return `${kind}.${group}`;
}

/** Returns whether an object says that it was cloned from a template. */
export function isClone({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[CLONED_FROM_NAME] !== undefined;
}

/** Returns whether an object was cloned from the template of this reference, by name and kind. */
export function isClonedFrom({ metadata }: KubeObject, { apiGroup, kind, name }: ContractReference): boolean {
  const { annotations = {} } = metadata;
  return (
    annotations[CLONED_FROM_NAME] === name &&
    annotations[CLONED_FROM_GROUP_KIND] === groupKindOf(kind, apiGroup)
  );
}

/**
 * Returns whether an object of a Machine is still to be made: the Machine is not being deleted, was never reported to
 * have it, and it does not exist, or its kind is not served. A running Machine that has lost one gets no second one.
 */
export function isCloneDue(
  { metadata, status }: Machine,
  latch: "bootstrapDataSecretCreated" | "infrastructureProvisioned",
  found: Referenced | undefined,
): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    status?.initialization?.[latch] !== true &&
    found !== undefined &&
    found.state !== "found"
  );
}
