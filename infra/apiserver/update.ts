import { admit, checkBody, missingVersion, nextMetadata, restrictToEndpoint } from "./admission.ts";
import { decodeObject } from "./body.ts";
import { commitChange, findLive } from "./commit.ts";
import { type KubeObject, textAt, timestamp } from "./kube-object.ts";
import { trackUpdate } from "./managed-fields.ts";
import { groupVersion } from "./registry.ts";
import { type Answer, type ApiRequest, type WriteOptions, writeOptions } from "./request.ts";
import type { JsonObject } from "./schema.ts";
import { badRequest, conflict, notFound } from "./status-error.ts";

/** PUT: replaces an object; it never creates one. */
export async function update(request: ApiRequest): Promise<Answer> {
  const options = writeOptions(request, "update");
  const { value, duplicates } = await decodeObject(request.contentType, request.body);
  const { server, target } = request;
  const { object, metadata } = checkBody(request, value, duplicates, options);
  const name = target.name ?? "";
  if (textAt(metadata, "name") === "") {
    throw badRequest(`the name of the object () does not match the name on the URL (${name})`);
  }
  const live = findLive(server, target, name);
  if (!live) throw notFound(target.type.group, target.type.plural, name);
  const uid = textAt(metadata, "uid");
  if (uid !== "" && uid !== live.metadata.uid) {
    const text = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`;
    throw conflict(target.type.group, target.type.plural, name, text);
  }
  if (target.type.custom && textAt(metadata, "resourceVersion") === "") throw missingVersion(target, name);
  return replace(request, live, { object, metadata, options });
}

/** A change of a stored object by a whole new content: PUT, or a patch that was carried out. */
export function replace(
  request: ApiRequest,
  live: KubeObject,
  change: { readonly object: JsonObject; readonly metadata: JsonObject; readonly options: WriteOptions },
): Answer {
  const { target } = request;
  const { options } = change;
  const next = { ...change.object, metadata: nextMetadata(target, live, change.metadata) } as KubeObject;
  const admitted = admit(request, live, restrictToEndpoint(target, live, next));
  return commitChange(
    request,
    live,
    withTracking(request, live, admitted, options.fieldManager),
    options.dryRun,
  );
}

function withTracking(request: ApiRequest, live: KubeObject, next: KubeObject, manager: string): KubeObject {
  const { type, served, subresource } = request.target;
  const managedFields = trackUpdate({
    schema: served.schema,
    live,
    next,
    manager,
    apiVersion: groupVersion(type.group, served.version),
    subresource,
    now: timestamp(request.now),
    resetFields: resetFields(request),
  });
  const { managedFields: _, ...metadata } = next.metadata;
  return { ...next, metadata: managedFields ? { ...metadata, managedFields } : metadata } as KubeObject;
}

/** Members that this endpoint leaves as they are, and so nobody comes to own through it. */
export function resetFields({ target }: ApiRequest): readonly string[] {
  if (!target.served.hasStatus) return [];
  return target.subresource === "status" ? ["spec"] : ["status"];
}
