import * as z from "zod";
import { Node } from "../../../shared/api/core.ts";
import type { Kind, OwnerReference } from "../../../shared/api/kinds.ts";
import { DNS_SUBDOMAIN } from "../../../shared/api/meta.ts";
import { PersistentVolume, Pod, VolumeAttachment } from "../../../shared/api/workload.ts";
import { once } from "../../../shared/runtime/once.ts";

const texts = () => z.string().nullish();
/**
 * Names come from the workload server and are shown in statuses, messages and terminals: an API server accepts DNS
 * subdomains only.
 */
const dnsName = () =>
  z
    .string()
    .max(253)
    .regex(new RegExp(`^${DNS_SUBDOMAIN}$`));
const named = () => z.looseObject({ name: dnsName() });
const claim = () => z.looseObject({ namespace: dnsName().nullish(), name: dnsName().nullish() });

/** The members of a Node that rules read. */
const nodeShape = () =>
  z.looseObject({
    metadata: named(),
    spec: z
      .looseObject({
        providerID: texts(),
        unschedulable: z.boolean().nullish(),
        taints: z.array(z.looseObject({ key: texts(), value: texts(), effect: texts() })).nullish(),
      })
      .optional(),
    status: z
      .looseObject({
        conditions: z
          .array(
            z.looseObject({
              type: z.string(),
              status: z.string(),
              reason: texts(),
              message: texts(),
              lastTransitionTime: texts(),
            }),
          )
          .nullish(),
        nodeInfo: z.looseObject({}).optional(),
        volumesAttached: z.array(z.looseObject({ name: z.string().max(2_048) })).nullish(),
      })
      .optional(),
  });

const podShape = () =>
  z.looseObject({
    metadata: z.looseObject({ name: dnsName(), namespace: dnsName() }),
    spec: z
      .looseObject({
        nodeName: texts(),
        volumes: z
          .array(
            z.looseObject({
              name: dnsName().nullish(),
              persistentVolumeClaim: z.looseObject({ claimName: dnsName().nullish() }).nullish(),
              ephemeral: z.looseObject({}).nullish(),
            }),
          )
          .nullish(),
      })
      .optional(),
    status: z.looseObject({ phase: texts() }).optional(),
  });

const attachmentShape = () =>
  z.looseObject({
    metadata: named(),
    spec: z
      .looseObject({
        nodeName: texts(),
        source: z.looseObject({ persistentVolumeName: dnsName().nullish() }).nullish(),
      })
      .optional(),
    status: z.looseObject({ attached: z.boolean().nullish() }).optional(),
  });

const volumeShape = () =>
  z.looseObject({
    metadata: named(),
    spec: z
      .looseObject({
        csi: z.looseObject({ driver: texts(), volumeHandle: texts() }).nullish(),
        claimRef: claim().nullish(),
      })
      .optional(),
  });

/** The shapes by kind: those whose members rules read, and that come from servers that are not trusted. */
const SHAPES: ReadonlyMap<string, () => z.ZodType> = new Map<string, () => z.ZodType>([
  [idOf(Node), once(nodeShape)],
  [idOf(Pod), once(podShape)],
  [idOf(VolumeAttachment), once(attachmentShape)],
  [idOf(PersistentVolume), once(volumeShape)],
]);

function idOf({ group, kind }: Pick<Kind, "group" | "kind">): string {
  return `${group}/${kind}`;
}

/** Returns the member of an object that is missing or has the wrong type; undefined when rules may read all. */
function problemOfKind(object: object, kind: Kind): string | undefined {
  const result = SHAPES.get(idOf(kind))?.().safeParse(object);
  if (result === undefined || result.success) return undefined;
  const path = result.error.issues[0]?.path ?? [];
  if (path.join(".") === "metadata.name") return `metadata.name of a ${kind.kind} is not a DNS subdomain`;
  // Positions in lists differ from one object to the next.
  const member = path.filter((part) => typeof part === "string").join(".");
  return `${member} of a ${kind.kind} is missing or has the wrong type`;
}

/**
 * Returns the problem of an object that a server has sent, as `metadata.labels is not a map of texts`; undefined when
 * later code may rely on its shape. Names the member, never its value.
 */
export function problemOf(object: unknown, kind: Kind): string | undefined {
  if (!isObject(object)) return "it is not an object";
  const { apiVersion, kind: ofKind, metadata } = object;
  if (!isOptional(apiVersion, isText) || !isOptional(ofKind, isText))
    return "apiVersion or kind is not a text";
  if (!isObject(metadata)) return "metadata is not an object";
  return problemOfMetadata(metadata) ?? problemOfKind(object, kind);
}

function problemOfMetadata(metadata: Members): string | undefined {
  if (!isText(metadata["name"]) || metadata["name"] === "") return "metadata.name is missing or not a text";
  const wrong = TEXTS.find((member) => !isOptional(metadata[member], isText));
  if (wrong !== undefined) return `metadata.${wrong} is not a text`;
  const noMap = MAPS.find((member) => !isOptional(metadata[member], isMapOfTexts));
  if (noMap !== undefined) return `metadata.${noMap} is not a map of texts`;
  if (!isOptional(metadata["finalizers"], (value) => isList(value, isText))) {
    return "metadata.finalizers is not a list of texts";
  }
  if (!isOptional(metadata["ownerReferences"], (value) => isList(value, isOwner))) {
    return "metadata.ownerReferences is not a list of references";
  }
  if (!isOptional(metadata["managedFields"], (value) => isList(value, isObject))) {
    return "metadata.managedFields is not a list of objects";
  }
  return undefined;
}

const TEXTS = ["namespace", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "continue"];
const MAPS = ["labels", "annotations"];

export type Members = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isOptional(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || is(value);
}

function isList(value: unknown, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

function isMapOfTexts(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isText);
}

export function isOwner(value: unknown): value is OwnerReference {
  return isObject(value) && ["apiVersion", "kind", "name", "uid"].every((member) => isText(value[member]));
}
