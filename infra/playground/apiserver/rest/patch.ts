import { messageOf } from "../../../../shared/function/errors.ts";
import { applyConfiguration } from "../apply/managed-fields.ts";
import { badRequest, conflict, failedPatch, notFound, StatusError } from "../errors/status-error.ts";
import { kindVersions } from "../kinds/conversion.ts";
import { tidyMetadata } from "../kinds/metadata.ts";
import { groupVersion } from "../kinds/registry.ts";
import { isJsonObject, type Json, type JsonObject, type KubeJson } from "../objects/json.ts";
import { type KubeObject, type ObjectMeta, objectAt, textAt, timestamp } from "../objects/kube-object.ts";
import { isDeeperThan, MAX_DEPTH, parseJson } from "../objects/strict-json.ts";
import { applyJsonPatch, applyMergePatch } from "../patch/json-patch.ts";
import { updateLastApplied } from "../patch/last-applied.ts";
import { applyStrategicMerge } from "../patch/strategic-merge.ts";
import { decodeObject, duplicateField, unknownFormat } from "../request/body.ts";
import {
  type Answer,
  type ApiRequest,
  invalidOptions,
  type Target,
  type WriteOptions,
  writeOptions,
} from "../request/request.ts";
import { isTrue } from "../request/router.ts";
import { applyDefaults, prune } from "../schema/shape.ts";
import { admit, restrictToEndpoint } from "./admission.ts";
import { checkBody, checkKind, decoded, memberProblem } from "./checked-body.ts";
import { checkPlace, commitChange, findLive } from "./commit.ts";
import { createAtUrl } from "./create.ts";
import { changeCauses, missingVersion, nextMetadata } from "./object-meta.ts";
import { replace, resetFields } from "./update.ts";

const JSON_PATCH = "application/json-patch+json";
const MERGE_PATCH = "application/merge-patch+json";
const STRATEGIC_PATCH = "application/strategic-merge-patch+json";
const APPLY_PATCH = "application/apply-patch+yaml";

/** Serves PATCH by its content type; server-side apply creates what is missing. */
export async function patch(request: ApiRequest): Promise<Answer> {
  const { target, contentType, query } = request;
  if (contentType === APPLY_PATCH) return apply(request);
  const options = writeOptions(request, "patch");
  if (query.has("force")) {
    const message = "Forbidden: may not be specified for non-apply patch";
    throw invalidOptions("PatchOptions", [{ reason: "FieldValueForbidden", message, field: "force" }]);
  }
  const live = await findLive(request.server, target, target.name ?? "");
  patchFunction(contentType, target.type.custom);
  if (!live) throw notFound(target.type.group, target.type.plural, target.name ?? "");
  const { patched, duplicates } = patchDocument(request, live);
  const checked = checkBody(request, patched, duplicates, options);
  checkKind(target, checked);
  const { object, metadata } = checked;
  if (textAt(metadata, "name") === "") throw badRequest("the name of the object cannot be removed");
  if (target.type.needsVersion && textAt(metadata, "resourceVersion") === "") {
    throw missingVersion(target, live.metadata.name);
  }
  return replace(request, live, { object, metadata, options });
}

interface PatchedDocument {
  readonly patched: JsonObject;
  readonly duplicates: readonly string[];
}

/** Carries out a JSON, merge or strategic merge patch on a document. Throws StatusError 400, 415 or 422. */
export function patchDocument(request: ApiRequest, document: JsonObject): PatchedDocument {
  const { contentType, target } = request;
  const carryOut = patchFunction(contentType, target.type.custom && target.subresource !== "scale");
  const { value, duplicates } = parsePatch(request.body);
  const patched = carryOut(document, value);
  // Operations can nest what no body could.
  if (isDeeperThan(patched, MAX_DEPTH)) throw failedPatch();
  if (!isJsonObject(patched)) throw badRequest("error decoding patch: the result is not an object");
  return { patched, duplicates: duplicates.map(duplicateField) };
}

function patchFunction(contentType: string, custom: boolean): (doc: Json, patch: Json) => Json {
  if (contentType === JSON_PATCH) return applyJsonPatch;
  if (contentType === MERGE_PATCH) return objectPatch(applyMergePatch);
  if (contentType === STRATEGIC_PATCH && !custom) return objectPatch(applyStrategicMerge);
  const accepted = [JSON_PATCH, MERGE_PATCH, ...(custom ? [] : [STRATEGIC_PATCH]), APPLY_PATCH];
  throw unknownFormat(accepted);
}

function objectPatch(carryOut: (doc: Json, patch: Json) => Json): (doc: Json, patch: Json) => Json {
  return (doc, change) => {
    if (!isJsonObject(change))
      throw badRequest("error decoding patch: json: cannot unmarshal into Go value of type map");
    return carryOut(doc, change);
  };
}

function parsePatch(body: Buffer) {
  try {
    return parseJson(body.toString("utf8"));
  } catch (error) {
    throw badRequest(`error decoding patch: ${messageOf(error)}`);
  }
}

/** Serves server-side apply. */
async function apply(request: ApiRequest): Promise<Answer> {
  const options = applyOptions(request);
  const { value, duplicates } = await decodeObject(request.contentType, request.body);
  const { target } = request;
  const name = target.name ?? "";
  const config = checkConfiguration(request, value, name);
  const live = await findLive(request.server, target, name);
  if (!live) checkCreation(request);
  const applied = (await applyConfiguration({
    schema: target.served.schema,
    versions: kindVersions(target.type),
    zero: target.type.zero,
    live,
    config,
    manager: options.fieldManager,
    apiVersion: groupVersion(target.type.group, target.served.version),
    subresource: target.subresource,
    force: isTrue(request.query.get("force")),
    now: timestamp(request.now),
    resetFields: resetFields(request),
  })) as KubeObject;
  const problem = memberProblem(target, { ...applied, metadata: config.metadata });
  if (problem) throw new StatusError(500, "", `failed to convert new object to proper version: ${problem}`);
  if (options.fieldValidation === "Strict" && duplicates.length > 0) {
    throw badRequest(`error strict decoding YAML: ${duplicates.join(", ")}`);
  }
  checkAddress(request, value);
  if (options.fieldValidation === "Warn") request.warnings.push(...duplicates);
  const whole = updateLastApplied(
    withFirstStatus(target, live, applied, config),
    value,
    options.fieldManager,
  );
  const { schema } = target.served;
  const pruned = prune(schema, whole).value;
  const typed = target.type.custom ? pruned : applyDefaults(schema, pruned);
  const object = decoded(target.type, typed as KubeObject);
  const metadata = tidyMetadata(object.metadata);
  const given = objectAt(value, "metadata");
  if (textAt(given, "name") === "" && (!live || Object.hasOwn(given, "name"))) {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (live) {
    const next = { ...object, metadata: nextMetadata(target, live, metadata) } as KubeObject;
    return commitChange(
      request,
      live,
      admit(request, live, restrictToEndpoint(target, live, next), changeCauses(target, live, metadata)),
      options.dryRun,
    );
  }
  return createApplied(request, { ...object, metadata } as KubeObject, options);
}

/** Keeps the first status: where new objects come with a status, it is the configuration's, though it has no owner. */
function withFirstStatus(
  { type }: Target,
  live: KubeObject | undefined,
  applied: KubeObject,
  { status }: KubeJson,
): KubeObject {
  return live || !type.statusOnCreate || status === undefined ? applied : { ...applied, status };
}

/** A uid cannot be that of an object that is not there. */
function checkPreconditions({ target }: ApiRequest, metadata: ObjectMeta): void {
  const { type, name = "" } = target;
  const uid = textAt(metadata, "uid");
  if (uid !== "") {
    const text = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(type.group, type.plural, name, text);
  }
}

function createApplied(request: ApiRequest, object: KubeObject, options: WriteOptions): Promise<Answer> {
  checkPreconditions(request, object.metadata);
  return createAtUrl(request, object, options);
}

function applyOptions(request: ApiRequest): WriteOptions {
  const options = writeOptions(request, "patch");
  if (!request.query.get("fieldManager")) {
    const message = "Required value: is required for apply patch";
    throw invalidOptions("PatchOptions", [{ reason: "FieldValueRequired", message, field: "fieldManager" }]);
  }
  return options;
}

/** Throws StatusError 400 for a configuration of another object than the URL's. */
function checkAddress({ target }: ApiRequest, value: JsonObject): void {
  const { type, namespace, name = "" } = target;
  const metadata = objectAt(value, "metadata");
  const given = textAt(metadata, "name");
  // A configuration without a name gets the name of the stored object, as in Kubernetes 1.34.
  if (given !== "" && given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
  const givenNamespace = textAt(metadata, "namespace");
  if (type.namespaced && givenNamespace !== "" && givenNamespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

/** Returns the problems for which step 1 of apply refuses a configuration, before anything is merged. */
function checkConfiguration(request: ApiRequest, value: JsonObject, name: string): KubeObject {
  const { type, served } = request.target;
  const apiVersion = groupVersion(type.group, served.version);
  if (textAt(value, "apiVersion") !== apiVersion || textAt(value, "kind") !== type.kind) {
    throw badRequest(`invalid object type: ${kindIn(value)}`);
  }
  const metadata = objectAt(value, "metadata");
  if (metadata["managedFields"] !== undefined && metadata["managedFields"] !== null) {
    throw badRequest("metadata.managedFields must be nil");
  }
  const named = Object.hasOwn(metadata, "name") ? metadata : { ...metadata, name };
  return { ...value, apiVersion, kind: type.kind, metadata: named as ObjectMeta };
}

/** Returns a kind as the real server writes it: `GROUP/VERSION, Kind=KIND`, nothing of a version with two slashes. */
function kindIn(value: JsonObject): string {
  const parts = textAt(value, "apiVersion").split("/");
  if (parts.length > 2) return "/, Kind=";
  const [version = "", group = ""] = parts.toReversed();
  return `${group}/${version}, Kind=${textAt(value, "kind")}`;
}

function checkCreation(request: ApiRequest): void {
  const { type, subresource, name = "" } = request.target;
  if (subresource !== undefined) throw notFound(type.group, type.plural, name);
  checkPlace(request);
}
