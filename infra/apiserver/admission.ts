import { randomUUID } from "node:crypto";
import { applyDefaults } from "./defaults.ts";
import {
  type KubeObject,
  listAt,
  type ObjectMeta,
  objectAt,
  omit,
  textAt,
  timestamp,
} from "./kube-object.ts";
import { checkMetadataTypes, metadataCauses, tidyMetadata } from "./metadata.ts";
import { prune } from "./prune.ts";
import { groupVersion } from "./registry.ts";
import type { ApiRequest, Target, WriteOptions } from "./request.ts";
import { ruleCauses } from "./rules.ts";
import { sameContent } from "./same-object.ts";
import type { Json, JsonObject } from "./schema.ts";
import { badRequest, type Cause, conflict, invalid, type StatusError } from "./status-error.ts";
import { validate } from "./validate.ts";

/** A body that belongs to the endpoint it was sent to, without the fields its schema does not know. */
export interface Checked {
  readonly object: JsonObject;
  readonly metadata: JsonObject;
}

/**
 * Checks a decoded body in the order of A-13 and prunes it.
 * Throws StatusError 400 or 422; unknown and duplicate fields by `fieldValidation`.
 */
export function checkBody(
  request: ApiRequest,
  body: JsonObject,
  duplicates: readonly string[],
  options: WriteOptions,
): Checked {
  const { type, served } = request.target;
  const apiVersion = groupVersion(type.group, served.version);
  checkTypeOf(request.target, body, apiVersion);
  checkMetadataTypes(body);
  const whole = { ...body, apiVersion, kind: type.kind, metadata: objectAt(body, "metadata") };
  const pruned = prune(served.schema, whole);
  reportStrictness(request, pruned.unknown, duplicates, options);
  const object = pruned.value as JsonObject;
  const metadata = tidyMetadata(objectAt(object, "metadata"));
  checkAddress(request.target, metadata);
  return { object, metadata };
}

function checkTypeOf(target: Target, body: JsonObject, apiVersion: string): void {
  const { type } = target;
  const foundVersion = textAt(body, "apiVersion");
  const foundKind = textAt(body, "kind");
  if (type.custom && foundKind === "") throw badRequest("Object 'Kind' is missing in the request body");
  if (foundVersion !== "" && foundVersion !== apiVersion) {
    throw badRequest(
      `the API version in the data (${foundVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  if (foundKind !== "" && foundKind !== type.kind) {
    const message = `Invalid value: "${foundKind}": must be ${type.kind}`;
    throw invalid(type.group, foundKind, textAt(objectAt(body, "metadata"), "name"), [
      { reason: "FieldValueInvalid", message, field: "kind" },
    ]);
  }
}

function checkAddress(target: Target, metadata: JsonObject): void {
  const name = textAt(metadata, "name");
  if (target.name !== undefined && name !== "" && name !== target.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`);
  }
  const namespace = textAt(metadata, "namespace");
  if (namespace !== "" && target.type.namespaced && namespace !== target.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

function reportStrictness(
  request: ApiRequest,
  unknown: readonly string[],
  duplicates: readonly string[],
  options: WriteOptions,
): void {
  if (options.fieldValidation === "Ignore") return;
  const complaints = [
    ...duplicates.map((path) => `duplicate field "${path}"`),
    ...unknown.map((path) => `unknown field "${path}"`),
  ];
  if (complaints.length === 0) return;
  if (options.fieldValidation === "Warn") {
    request.warnings.push(...complaints);
    return;
  }
  throw strictError(request, complaints.join(", "));
}

/** Differs: A-25 says 400 for every write; Kubernetes 1.34 answers 422 to a patch. */
function strictError({ target, verb }: ApiRequest, complaints: string): StatusError {
  const { type, served } = target;
  if (verb !== "patch") {
    return badRequest(
      `${type.kind} in version "${served.version}" cannot be handled as a ${type.kind}: strict decoding error: ${complaints}`,
    );
  }
  const message = `Invalid value: the patched object: strict decoding error: ${complaints}`;
  return invalid("", "", "", [{ reason: "FieldValueInvalid", message, field: "patch" }]);
}

/** The metadata of a new object: what the server owns is the server's. */
export function newMetadata(request: ApiRequest, metadata: JsonObject, name: string): ObjectMeta {
  const { type, namespace } = request.target;
  const { generation: _, deletionTimestamp: __, deletionGracePeriodSeconds: ___, ...given } = metadata;
  return {
    ...given,
    name,
    ...(type.namespaced && namespace !== undefined ? { namespace } : {}),
    uid: randomUUID(),
    resourceVersion: "",
    creationTimestamp: timestamp(request.now),
    ...(type.hasGeneration ? { generation: 1 } : {}),
  };
}

/**
 * The metadata of a changed object: absent server-owned members come from the stored one, different ones are refused
 * and no finalizer may appear while it is being deleted.
 */
export function nextMetadata(target: Target, live: KubeObject, metadata: JsonObject): ObjectMeta {
  const { type } = target;
  const stored = live.metadata;
  const version = textAt(metadata, "resourceVersion");
  if (version !== "" && version !== stored.resourceVersion) {
    throw conflict(type.group, type.plural, stored.name);
  }
  const causes: Cause[] = [];
  // Differs: A-15 also lists creationTimestamp; Kubernetes 1.34 ignores a given one, and so do we.
  for (const member of ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"]) {
    const given = metadata[member];
    if (given === undefined || given === stored[member]) continue;
    causes.push(immutable(`metadata.${member}`, given));
  }
  const added = stored.deletionTimestamp === undefined ? [] : newFinalizers(stored, metadata);
  if (added.length > 0) {
    const list = added.map((name) => JSON.stringify(name)).join(", ");
    const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
    causes.push({ reason: "FieldValueForbidden", message, field: "metadata.finalizers" });
  }
  if (causes.length > 0) throw invalid(type.group, type.kind, stored.name, causes);
  const { generation: _, ...given } = metadata;
  return { ...given, ...serverOwned(stored) };
}

function serverOwned(stored: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, creationTimestamp, generation } = stored;
  const { deletionTimestamp, deletionGracePeriodSeconds } = stored;
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid,
    resourceVersion,
    creationTimestamp,
    ...(generation === undefined ? {} : { generation }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
  };
}

function newFinalizers(stored: ObjectMeta, metadata: JsonObject): string[] {
  return listAt(metadata, "finalizers")
    .map(String)
    .filter((name) => !stored.finalizers?.includes(name));
}

function immutable(field: string, value: Json): Cause {
  return {
    reason: "FieldValueInvalid",
    message: `Invalid value: ${JSON.stringify(value)}: field is immutable`,
    field,
  };
}

/** The parts that this endpoint may change: `status` only through `/status`, everything else only beside it. */
export function restrictToEndpoint(
  target: Target,
  live: KubeObject | undefined,
  next: KubeObject,
): KubeObject {
  if (!target.served.hasStatus || (!live && target.type.statusOnCreate)) return next;
  if (target.subresource === "status" && live) {
    const managedFields = next.metadata.managedFields ?? live.metadata.managedFields;
    const rest = omit(live, "status");
    const status = next["status"];
    return {
      ...rest,
      ...(status === undefined ? {} : { status }),
      metadata: { ...live.metadata, ...(managedFields ? { managedFields } : {}) },
    };
  }
  const status = live?.["status"];
  const rest = omit(next, "status");
  return status === undefined ? rest : { ...rest, status };
}

/** Server-filled fields, defaults, then validation. Throws StatusError 422 with every cause. */
export function admit(request: ApiRequest, live: KubeObject | undefined, next: KubeObject): KubeObject {
  const { type, served } = request.target;
  const prepared = type.strategy?.prepare?.(next, live, request.target.subresource) ?? next;
  const object = applyDefaults(served.schema, prepared) as KubeObject;
  const causes = [
    ...metadataCauses(object.metadata, type.nameForm ?? "subdomain"),
    ...validate(served.schema, object),
    ...(type.strategy?.validate?.(object, live) ?? []),
  ];
  // Rules may rely on the schema, so they run only on what the schema accepts.
  if (causes.length === 0) causes.push(...ruleCauses(served.schema, object, live));
  if (causes.length > 0) throw invalid(type.group, type.kind, object.metadata.name, causes);
  request.warnings.push(...(type.strategy?.warnings?.(object) ?? []));
  return live ? withGeneration(request.target, live, object) : object;
}

/** generation + 1 when anything outside metadata and status changed. */
function withGeneration({ type, served }: Target, live: KubeObject, next: KubeObject): KubeObject {
  const { generation } = live.metadata;
  if (!type.hasGeneration || generation === undefined) return next;
  if (sameContent(live, next, served.hasStatus ? ["status"] : [])) return next;
  return { ...next, metadata: { ...next.metadata, generation: generation + 1 } };
}

/** 422 of an update that lacks its resourceVersion. */
export function missingVersion(target: Target, name: string): StatusError {
  const { type } = target;
  const message = "Invalid value: 0: must be specified for an update";
  return invalid(type.group, type.plural, name, [
    { reason: "FieldValueInvalid", message, field: "metadata.resourceVersion" },
  ]);
}
