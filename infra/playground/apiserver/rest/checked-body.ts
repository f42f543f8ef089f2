import { messageOf } from "../../../../shared/function/errors.ts";
import { badRequest, internalError, invalid, StatusError } from "../errors/status-error.ts";
import { copyWarnings, tidyMetadata } from "../kinds/metadata.ts";
import { groupVersion, type ResourceType } from "../kinds/registry.ts";
import {
  isJsonArray,
  isJsonObject,
  isNumber,
  type Json,
  type JsonObject,
  memberOf,
} from "../objects/json.ts";
import { type KubeObject, objectAt, textAt } from "../objects/kube-object.ts";
import type { ApiRequest, Target, WriteOptions } from "../request/request.ts";
import type { Schema } from "../schema/schema.ts";
import { applyDefaults, prune } from "../schema/shape.ts";
import { validate } from "../schema/validate.ts";
import { withoutEmpty, withZeroValues } from "../schema/zero-values.ts";
import { checkEmbedded, checkMetadataTypes, pruneMetadata } from "./metadata-types.ts";

/** A body that belongs to the endpoint it was sent to, as its schema has it. */
export interface Checked {
  readonly object: JsonObject;
  readonly metadata: JsonObject;
  /** The kind as the body says it. */
  readonly kind: string;
}

/**
 * Checks a decoded body in the order of the real server, prunes it and fills in defaults.
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
  checkVersion(request, body, apiVersion);
  checkTypes(request, body);
  const whole = {
    ...body,
    apiVersion,
    kind: type.kind,
    metadata: pruneMetadata(objectAt(body, "metadata")).value,
  };
  const pruned = prune(served.schema, whole);
  const unknown = [...pruned.unknown, ...pruneMetadata(objectAt(body, "metadata")).unknown];
  reportStrictness(request, unknown, duplicates, options);
  const object = decoded(type, applyDefaults(served.schema, pruned.value) as KubeObject);
  const given = objectAt(object, "metadata");
  const resets = !type.custom && Array.isArray(given["managedFields"]) && given["managedFields"].length === 0;
  // For compiled-in kinds an empty list is what [{}] is for all: an order to forget who owns what.
  const metadata = tidyMetadata(resets ? { ...given, managedFields: [{}] } : given);
  if (request.verb !== "create") checkName(request.target, metadata);
  checkNamespace(request.target, metadata);
  request.warnings.push(...copyWarnings(objectAt(object, "metadata"), metadata, request.verb));
  return { object, metadata, kind: textAt(body, "kind") };
}

/** The object as its compiled-in type holds it, with what is never absent and without what is never empty. */
export function decoded(
  { custom, zero, omitted = [], strategy }: ResourceType,
  object: KubeObject,
): KubeObject {
  const whole = withoutEmpty(zero ? withZeroValues(zero, object) : object, omitted);
  const filled = strategy?.defaults?.(whole) ?? whole;
  return custom || zero || strategy ? filled : (withoutNulls(filled) as KubeObject);
}

/** Drops the nulls of kinds that are only stored: Go's types have no place for a null. */
function withoutNulls(value: Json): Json {
  if (isJsonArray(value)) {
    const items = value.map(withoutNulls);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withoutNulls(member)] as const);
  if (members.every(([name, member]) => member !== null && member === value[name])) return value;
  return Object.fromEntries(members.filter(([, member]) => member !== null));
}

/** Members of the wrong type: the body cannot be decoded. */
function checkTypes({ verb, target }: ApiRequest, body: JsonObject): void {
  try {
    checkMetadataTypes(body);
    checkEmbedded(target.served.schema, body);
    const problem = memberProblem(target, body);
    if (problem)
      throw badRequest(`${target.type.kind} cannot be handled as a ${target.type.kind}: ${problem}`);
  } catch (error) {
    throw verb === "patch" && error instanceof StatusError ? refusedPatch(error) : error;
  }
}

/** A value that a compiled-in kind has no place for, because it is of another type; null is not a value. */
export function memberProblem({ type, served }: Target, object: JsonObject): string | undefined {
  if (type.custom) return undefined;
  try {
    checkMetadataTypes(object);
  } catch (error) {
    return messageOf(error);
  }
  const whole = applyDefaults(served.schema, object);
  // All of them: the first one of the wrong type may stand behind many others.
  const problems = validate(served.schema, whole, undefined, Number.POSITIVE_INFINITY);
  const problem = problems.find(({ reason }) => reason === "FieldValueTypeInvalid")?.message;
  return problem ?? overflowIn(served.schema, whole);
}

/** A number that Go's field has no place for. A CRD only shows such a format. */
function overflowIn(schema: Schema, value: Json): string | undefined {
  if (isNumber(value)) {
    const isTooLarge = schema.format === "int32" && Number(value) !== (Number(value) | 0);
    return isTooLarge
      ? `json: cannot unmarshal number ${JSON.stringify(value)} into Go struct field of type int32`
      : undefined;
  }
  const found = isJsonArray(value)
    ? value.map((item) => overflowIn(schema.items ?? {}, item))
    : Object.entries(isJsonObject(value) ? value : {}).map(([name, member]) =>
        overflowIn(memberOf(schema.properties ?? {}, name) ?? {}, member),
      );
  return found.find((problem) => problem !== undefined);
}

/** A patch whose result cannot be read. */
export function refusedPatch({ message }: StatusError): StatusError {
  const text = `Invalid value: the patched object: ${message}`;
  return invalid("", "", "", [{ reason: "FieldValueInvalid", message: text, field: "patch" }]);
}

function checkVersion({ target, verb }: ApiRequest, body: JsonObject, apiVersion: string): void {
  const { type } = target;
  const found = textAt(body, "apiVersion");
  if (type.custom && textAt(body, "kind") === "") {
    const missing = badRequest("Object 'Kind' is missing in the request body");
    throw verb === "patch" ? refusedPatch(missing) : missing;
  }
  if (found === apiVersion || (found === "" && !type.custom)) return;
  if (found === "" && verb === "patch") {
    throw internalError("Internal error occurred: Object 'apiVersion' is missing in the patched object");
  }
  if (type.custom && verb === "patch") {
    const message = `Invalid value: "${found}": must be ${apiVersion}`;
    throw invalid(type.group, type.kind, target.name ?? "", [
      { reason: "FieldValueInvalid", message, field: "apiVersion" },
    ]);
  }
  throw badRequest(
    `the API version in the data (${found}) does not match the expected API version (${apiVersion})`,
  );
}

/** Throws StatusError 422 for another kind than the endpoint's; compiled-in kinds need not say theirs. */
export function checkKind({ type }: Target, { kind, metadata }: Checked): void {
  if (kind === "" || kind === type.kind) return;
  if (!type.custom) throw badRequest(`${kind} cannot be handled as a ${type.kind}: no such kind here`);
  const message = `Invalid value: "${kind}": must be ${type.kind}`;
  throw invalid(type.group, kind, textAt(metadata, "name"), [
    { reason: "FieldValueInvalid", message, field: "kind" },
  ]);
}

function checkName(target: Target, metadata: JsonObject): void {
  const name = textAt(metadata, "name");
  if (target.name !== undefined && name !== "" && name !== target.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${target.name})`);
  }
}

function checkNamespace(target: Target, metadata: JsonObject): void {
  const namespace = textAt(metadata, "namespace");
  if (namespace !== "" && target.type.namespaced && namespace !== target.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

/** More do not fit into the headers of an answer. */
const MAX_COMPLAINTS = 100;

function reportStrictness(
  request: ApiRequest,
  unknown: readonly string[],
  duplicates: readonly string[],
  options: WriteOptions,
): void {
  if (options.fieldValidation === "Ignore") return;
  const complaints = [...duplicates, ...unknown.map((path) => `unknown field "${path}"`)];
  if (complaints.length === 0) return;
  const named = complaints.slice(0, MAX_COMPLAINTS);
  if (options.fieldValidation === "Warn") {
    request.warnings.push(...named);
    return;
  }
  throw strictError(request, named.join(", "));
}

/** A body with unknown fields is answered with 400, a patch with 422, as by Kubernetes 1.34. */
function strictError({ target, verb }: ApiRequest, complaints: string): StatusError {
  const { type, served } = target;
  if (verb !== "patch") {
    return badRequest(
      `${type.kind} in version "${served.version}" cannot be handled as a ${type.kind}: strict decoding error: ${complaints}`,
    );
  }
  return refusedPatch(badRequest(`strict decoding error: ${complaints}`));
}
