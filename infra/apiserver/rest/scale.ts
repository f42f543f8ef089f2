import { decodeObject } from "../http/body.ts";
import { type Answer, type ApiRequest, type WriteOptions, writeOptions } from "../http/request.ts";
import { badRequest, conflict, internalError, invalid, notFound } from "../http/status-error.ts";
import type { ScalePaths } from "../kinds/registry.ts";
import { patchDocument } from "../patch/patch.ts";
import { isJsonObject, type Json, type JsonObject } from "../schema/schema.ts";
import { type KubeObject, objectAt, omit, textAt } from "../storage/kube-object.ts";
import { refusedPatch } from "./checked-body.ts";
import { findLive } from "./commit.ts";
import { selectPath } from "./json-path.ts";
import { tidyMetadata } from "./metadata.ts";
import { checkMetadataTypes } from "./metadata-types.ts";
import { replace } from "./update.ts";

/** `/scale`: an autoscaling/v1 Scale built from three paths of the object. */
export async function scale(request: ApiRequest): Promise<Answer> {
  const { server, target, verb } = request;
  const { name = "", served, type } = target;
  const paths = served.scale;
  const live = findLive(server, target, name);
  if (!live || !paths) throw notFound(type.group, type.plural, name);
  if (verb === "get") return { form: "document", code: 200, body: toScale(live, paths) };
  const options = writeOptions(request, verb === "patch" ? "patch" : "update");
  const wanted =
    verb === "patch"
      ? patchDocument(request, toScale(live, paths, 0)).patched
      : (await decodeObject(request.contentType, request.body)).value;
  const changed = setReplicas(request, live, wanted, { paths, options });
  return { form: "document", code: 200, body: toScale(changed, paths) };
}

function setReplicas(
  request: ApiRequest,
  live: KubeObject,
  wanted: JsonObject,
  { paths, options }: { readonly paths: ScalePaths; readonly options: WriteOptions },
): KubeObject {
  const { type } = request.target;
  checkMetadataTypes(wanted);
  const replicas = objectAt(wanted, "spec")["replicas"] ?? 0;
  if (!Number.isInteger(replicas)) {
    const undecodable = badRequest("spec.replicas must be an integer");
    throw request.verb === "patch" ? refusedPatch(undecodable) : undecodable;
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
  const object = setPath(live, members(paths.specReplicasPath), replicas);
  const metadata = tidyMetadata(live.metadata);
  // A Scale shows missing replicas as 0, so to ask for 0 changes nothing that anybody could own.
  const keepsOwners = replicas === 0 && selectPath(live, paths.specReplicasPath).length === 0;
  const answer = replace(request, live, { object, metadata, options, keepsOwners });
  if (answer.form !== "object") throw internalError("a replaced object was expected");
  return answer.object;
}

/** `unset` stands for a missing replicas value; without it a missing one is an error. */
function toScale(object: KubeObject, paths: ScalePaths, unset?: number): JsonObject {
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
