import { badRequest, conflict, internalError, invalid, notFound } from "../errors/status-error.ts";
import { tidyMetadata } from "../kinds/metadata.ts";
import type { ScalePaths } from "../kinds/registry.ts";
import { isJsonObject, type Json, type JsonObject, type KubeJson } from "../objects/json.ts";
import { selectPath } from "../objects/json-path.ts";
import { type KubeObject, objectAt, omit, textAt } from "../objects/kube-object.ts";
import { decodeObject } from "../request/body.ts";
import { type Answer, type ApiRequest, writeOptions } from "../request/request.ts";
import { refusedPatch } from "./checked-body.ts";
import { findLive } from "./commit.ts";
import { checkMetadataTypes } from "./metadata-types.ts";
import { patchDocument } from "./patch.ts";
import { replace } from "./update.ts";

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
  const options = writeOptions(request, verb === "patch" ? "patch" : "update");
  const wanted =
    verb === "patch"
      ? patchDocument(request, toScale(live, paths, NO_REPLICAS)).patched
      : (await decodeObject(request.contentType, request.body)).value;
  checkMetadataTypes(wanted);
  const object = withReplicas(request, live, wanted, paths);
  const answer = await replace(request, live, { object, metadata: tidyMetadata(live.metadata), options });
  if (answer.form !== "object") throw internalError("a replaced object was expected");
  return { form: "document", code: 200, body: toScale(answer.object, paths) };
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
