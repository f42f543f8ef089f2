import type { Kind, OwnerReference } from "../../../shared/api/kinds.ts";
import { problemOfKind } from "./kind-shapes.ts";

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
