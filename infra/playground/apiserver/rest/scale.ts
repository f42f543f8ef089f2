import { applyConfiguration, type ManagedFieldsEntry, trackUpdate } from "../apply/managed-fields.ts";
import {
  fieldAt,
  ownersFromScale,
  ownersOfScale,
  type ReplicasFields,
  SCALE_API_VERSION,
} from "../apply/scale-owners.ts";
import {
  badRequest,
  conflict,
  internalError,
  invalid,
  notFound,
  StatusError,
} from "../errors/status-error.ts";
import { CORE_SCHEMAS } from "../kinds/core-schemas.ts";
import { tidyMetadata } from "../kinds/metadata.ts";
import { groupVersion, type ResourceType, type ScalePaths } from "../kinds/registry.ts";
import { isJsonObject, type Json, type JsonObject, type KubeJson } from "../objects/json.ts";
import { selectPath } from "../objects/json-path.ts";
import { type KubeObject, objectAt, omit, textAt, timestamp } from "../objects/kube-object.ts";
import { decodeObject } from "../request/body.ts";
import { type Answer, type ApiRequest, type WriteOptions, writeOptions } from "../request/request.ts";
import { isTrue } from "../request/router.ts";
import { refusedPatch } from "./checked-body.ts";
import { findLive } from "./commit.ts";
import { checkMetadataTypes } from "./metadata-types.ts";
import { APPLY_PATCH, applyOptions, patchDocument } from "./patch.ts";
import { replaceOwned } from "./update.ts";

/** Scale of an object without replicas while it is being changed; it cannot be read. */
const NO_REPLICAS = -(2 ** 31);

/** Serves `/scale`: an autoscaling/v1 Scale built from three paths of the object. */
export async function scale(request: ApiRequest): Promise<Answer> {
  const { server, target, verb } = request;
  const { name = "", served, type } = target;
  const paths = served.scale;
  const live = await findLive(server, target, name);
  if (!live || !paths) throw notFound(type.group, type.plural, name);
  if (verb === "get") return { form: "document", code: 200, body: toScale(live, paths) };
  const fields = replicasFields(type);
  const managedFields = ownersOfScale(live.metadata.managedFields, fields);
  const shown = toScale(live, paths, NO_REPLICAS);
  const before = { ...shown, metadata: { ...shown.metadata, ...(managedFields ? { managedFields } : {}) } };
  const change = await changeOf(request, before);
  const object = withReplicas(request, live, change.scale, paths);
  const answer = await replaceOwned(
    request,
    live,
    { object, metadata: tidyMetadata(live.metadata), options: change.options },
    () =>
      ownersFromScale(change.owners, {
        entries: live.metadata.managedFields,
        apiVersion: groupVersion(type.group, served.version),
        fields,
      }),
  );
  if (answer.form !== "object") throw internalError("a replaced object was expected");
  return { form: "document", code: 200, body: toScale(answer.object, paths) };
}

function replicasFields({ group, versions }: ResourceType): ReplicasFields {
  return new Map(
    versions.map(({ version, scale: paths }) => [
      groupVersion(group, version),
      paths && fieldAt(members(paths.specReplicasPath)),
    ]),
  );
}

/** A Scale as it must be, and the owners of its fields. */
interface ScaleChange {
  readonly scale: JsonObject;
  readonly owners: readonly ManagedFieldsEntry[] | undefined;
  readonly options: WriteOptions;
}

async function changeOf(request: ApiRequest, before: KubeJson): Promise<ScaleChange> {
  const { verb, contentType, body, now } = request;
  const operation = {
    schema: CORE_SCHEMAS.Scale,
    live: before,
    apiVersion: SCALE_API_VERSION,
    subresource: "scale",
    now: timestamp(now),
    resetFields: [],
  };
  if (verb === "patch" && contentType === APPLY_PATCH) {
    const options = applyOptions(request);
    const config = (await decodeObject(contentType, body)).value as KubeJson;
    const force = isTrue(request.query.get("force"));
    const manager = options.fieldManager;
    const isCustom = request.target.type.custom;
    // Without owners it does not even come to conflicts.
    if (isCustom && before.metadata["managedFields"] === undefined) throw inconvertible(before);
    const scale = await applyConfiguration({ ...operation, config, force, manager });
    if (isCustom) throw inconvertible(before);
    // Made by the apply just now.
    const owners = scale.metadata["managedFields"] as unknown as readonly ManagedFieldsEntry[];
    return { scale, owners, options };
  }
  const options = writeOptions(request, verb === "patch" ? "patch" : "update");
  const scale =
    verb === "patch" ? patchDocument(request, before).patched : (await decodeObject(contentType, body)).value;
  checkMetadataTypes(scale);
  const { replicas = 0 } = objectAt(scale, "spec");
  const metadata = objectAt(scale, "metadata");
  const next = { ...before, ...scale, metadata, spec: replicas === 0 ? {} : { replicas } };
  const owners = await trackUpdate({ ...operation, next, manager: options.fieldManager });
  return { scale, owners, options };
}

/** The real server cannot apply to the Scale of a custom resource either. */
function inconvertible({ metadata }: KubeJson): StatusError {
  const problem = "request to convert CR to an invalid group/version: autoscaling/v1";
  const object = `/${metadata["name"]}; ${SCALE_API_VERSION}, Kind=Scale`;
  return new StatusError(500, "", `failed to convert new object (${object}) to proper version: ${problem}`);
}

function withReplicas(
  { verb, target: { type } }: ApiRequest,
  live: KubeObject,
  wanted: JsonObject,
  paths: ScalePaths,
): KubeObject {
  const replicas = objectAt(wanted, "spec")["replicas"] ?? 0;
  if (!Number.isInteger(replicas)) {
    const undecodable = badRequest("spec.replicas must be an integer");
    throw verb === "patch" ? refusedPatch(undecodable) : undecodable;
  }
  if (replicas === NO_REPLICAS) {
    throw badRequest(`the spec replicas field "${paths.specReplicasPath}" cannot be empty`);
  }
  if (Number(replicas) < 0 && !type.custom) {
    const message = `Invalid value: ${replicas}: should be a non-negative integer`;
    throw invalid(type.group, type.kind, live.metadata.name, [
      { reason: "FieldValueInvalid", message, field: paths.specReplicasPath },
    ]);
  }
  const version = textAt(objectAt(wanted, "metadata"), "resourceVersion");
  if (version !== "" && version !== live.metadata.resourceVersion) {
    throw conflict(type.group, type.plural, live.metadata.name);
  }
  return setPath(live, members(paths.specReplicasPath), replicas);
}

/** `unset` stands for a missing replicas value; without it a missing one is an error. */
function toScale(object: KubeObject, paths: ScalePaths, unset?: number): KubeJson {
  const [replicas = unset] = selectPath(object, paths.specReplicasPath);
  if (replicas === undefined) {
    const text = `the spec replicas field "${paths.specReplicasPath}" does not exist`;
    throw internalError(`Internal error occurred: ${text}`);
  }
  const [current = 0] = selectPath(object, paths.statusReplicasPath);
  const [labelSelector] = paths.labelSelectorPath ? selectPath(object, paths.labelSelectorPath) : [];
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, ...(namespace ? { namespace } : {}), uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: current,
      ...(labelSelector === undefined ? {} : { selector: selectorText(labelSelector) }),
    },
  };
}

/** Deployments keep their selector as an object, custom resources as text. */
function selectorText(value: Json): string {
  if (typeof value === "string") return value;
  if (!isJsonObject(value)) return "";
  const labels = Object.entries(objectAt(value, "matchLabels"));
  return labels.map(([key, label]) => `${key}=${label}`).join(",");
}

function members(path: string): string[] {
  return path.split(".").filter((member) => member !== "");
}

function setPath<T extends JsonObject>(object: T, [member = "", ...rest]: readonly string[], value: Json): T {
  const inner = rest.length === 0 ? value : setPath(objectAt(object, member), rest, value);
  return { ...omit(object, member), [member]: inner };
}
