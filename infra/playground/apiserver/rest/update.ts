import { trackUpdate } from "../apply/managed-fields.ts";
import { badRequest, conflict, notFound } from "../errors/status-error.ts";
import { kindVersions } from "../kinds/conversion.ts";
import { groupVersion } from "../kinds/registry.ts";
import type { JsonObject } from "../objects/json.ts";
import { type KubeObject, textAt, timestamp } from "../objects/kube-object.ts";
import { decodeObject } from "../request/body.ts";
import { type Answer, type ApiRequest, type WriteOptions, writeOptions } from "../request/request.ts";
import { admit, restrictToEndpoint } from "./admission.ts";
import { checkBody, checkKind } from "./checked-body.ts";
import { checkPlace, commitChange, findLive } from "./commit.ts";
import { createAtUrl, withTracking } from "./create.ts";
import { changeCauses, missingVersion, nextMetadata } from "./object-meta.ts";

/**
 * Serves PUT: replaces an object. Like Kubernetes 1.34, it creates Events, Leases and RBAC objects that do not exist.
 */
export async function update(request: ApiRequest): Promise<Answer> {
  const options = writeOptions(request, "update");
  const { value, duplicates } = await decodeObject(request.contentType, request.body);
  const { server, target } = request;
  const checked = checkBody(request, value, duplicates, options);
  const { object, metadata } = checked;
  const name = target.name ?? "";
  if (textAt(metadata, "name") === "") {
    throw badRequest(`the name of the object () does not match the name on the URL (${name})`);
  }
  const live = await findLive(server, target, name);
  if (!live && !target.type.createsOnUpdate) throw notFound(target.type.group, target.type.plural, name);
  const uid = textAt(metadata, "uid");
  if (uid !== "" && uid !== live?.metadata.uid) {
    const found = live?.metadata.uid ?? "";
    const text = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`;
    throw conflict(target.type.group, target.type.plural, name, text);
  }
  if (live && target.type.needsVersion && textAt(metadata, "resourceVersion") === "")
    throw missingVersion(target, name);
  checkKind(target, checked);
  if (!live) {
    checkPlace(request);
    const sent = { ...object, metadata } as KubeObject;
    return createAtUrl(request, await withTracking(request, sent, options.fieldManager), options);
  }
  return replace(request, live, { object, metadata, options });
}

interface Replacement {
  readonly object: JsonObject;
  readonly metadata: JsonObject;
  readonly options: WriteOptions;
}

/** A change of a stored object by a whole new content: PUT, or a patch that was carried out. */
export async function replace(request: ApiRequest, live: KubeObject, change: Replacement): Promise<Answer> {
  const { target } = request;
  const { object, metadata, options } = change;
  const next = { ...object, metadata: nextMetadata(target, live, metadata) } as KubeObject;
  const admitted = admit(
    request,
    live,
    restrictToEndpoint(target, live, next),
    changeCauses(target, live, metadata),
  );
  // The owners are those of what was sent, before the endpoint takes its part.
  const sent = { ...object, metadata } as KubeObject;
  const managedFields = await trackedFields(request, live, sent, options.fieldManager);
  const { managedFields: _, ...rest } = admitted.metadata;
  const tracked = managedFields === undefined ? rest : { ...rest, managedFields };
  return commitChange(request, live, { ...admitted, metadata: tracked } as KubeObject, options.dryRun);
}

function trackedFields(request: ApiRequest, live: KubeObject, next: KubeObject, manager: string) {
  const { type, served, subresource } = request.target;
  return trackUpdate({
    schema: served.schema,
    versions: kindVersions(type),
    zero: type.zero,
    live,
    next,
    manager,
    apiVersion: groupVersion(type.group, served.version),
    subresource,
    now: timestamp(request.now),
    resetFields: resetFields(request),
  });
}

/** Members that this endpoint leaves as they are; they get no owner through it. */
export function resetFields({ target }: ApiRequest): readonly string[] {
  if (!target.served.hasStatus) return [];
  return target.subresource === "status" ? ["spec"] : ["status"];
}
