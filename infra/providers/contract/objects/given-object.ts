import type { Secret } from "../../../../shared/api/core.ts";
import { type KubeObject, titleOf } from "../../../../shared/api/kinds.ts";
import type { Place } from "../../../../shared/contract/rules/rule.ts";
import { WAIVE_ANNOTATION } from "../../../../shared/contract/waive-annotation.ts";
import { isObject, isOwner } from "../../../platform/kube/object-shape.ts";

/** An object and where it stands. */
export interface GivenObject {
  readonly object: KubeObject;
  readonly place: Place;
}

/** Bound of the owners of one object; real ones have three. */
const MAX_OWNERS = 100;
/** The longest name, as the API server has it; every finding repeats the names. */
const MAX_NAME_LENGTH = 253;

/**
 * Reads a document as an object; undefined without a name that an object can have. Members of metadata with a wrong type
 * are left out.
 */
export function givenObject(
  value: { readonly [member: string]: unknown },
  at: Omit<Place, "object"> = {},
): GivenObject | undefined {
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !isObject(metadata)) return undefined;
  const { name, namespace, uid, labels, annotations, ownerReferences, finalizers, deletionTimestamp } =
    metadata;
  if (typeof name !== "string" || name === "") return undefined;
  if ([name, textOf(namespace) ?? "", kind].some(({ length }) => length > MAX_NAME_LENGTH)) return undefined;
  const owners = Array.isArray(ownerReferences) ? ownerReferences.slice(0, MAX_OWNERS).filter(isOwner) : [];
  const texts = {
    namespace: textOf(namespace),
    uid: textOf(uid),
    deletionTimestamp: textOf(deletionTimestamp),
    labels: textsOf(labels),
    annotations: textsOf(annotations),
    finalizers: Array.isArray(finalizers) ? finalizers.filter((each) => typeof each === "string") : undefined,
  };
  const object = { ...value, apiVersion, kind, metadata: { ...texts, name, ownerReferences: owners } };
  const place = {
    object: titleOf(kind, object.metadata),
    ...at,
    waive: texts.annotations?.[WAIVE_ANNOTATION],
  };
  return { object, place };
}

/** A Secret of a document may have its values as they are. */
export function secretOf(object: KubeObject): Secret {
  const { type, data, stringData } = object as {
    readonly type?: unknown;
    readonly data?: unknown;
    readonly stringData?: unknown;
  };
  const plain = Object.entries(textsOf(stringData) ?? {}).map(([key, text]) => [
    key,
    Buffer.from(text).toString("base64"),
  ]);
  const { apiVersion, kind, metadata } = object;
  return {
    apiVersion,
    kind,
    metadata,
    type: textOf(type),
    data: { ...textsOf(data), ...Object.fromEntries(plain) },
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textsOf(value: unknown): { readonly [key: string]: string } | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
