import { type Cause, conflict, invalid, invalidValue, StatusError } from "../errors/status-error.ts";
import type { JsonObject } from "../objects/json.ts";
import { type KubeObject, listAt, type ObjectMeta, textAt, timestamp } from "../objects/kube-object.ts";
import type { ApiRequest, Target } from "../request/request.ts";

/** The metadata of a new object: what the server owns is the server's. */
export function newMetadata(request: ApiRequest, metadata: JsonObject, name: string): ObjectMeta {
  const { type, namespace } = request.target;
  const { generation: wanted, namespace: _, ...given } = metadata;
  // Where the server does not count it, it is the client's.
  const generation = type.hasGeneration ? 1 : (wanted as number | undefined);
  return {
    ...given,
    name,
    ...(type.namespaced && namespace !== undefined ? { namespace } : {}),
    uid: request.server.random.uuid(),
    resourceVersion: "",
    creationTimestamp: timestamp(request.now),
    ...(generation === undefined ? {} : { generation }),
  };
}

/**
 * The metadata of a changed object: server-owned members come from the stored one.
 * Throws StatusError 409 for another resourceVersion than the stored one.
 */
export function nextMetadata(target: Target, live: KubeObject, metadata: JsonObject): ObjectMeta {
  const { type } = target;
  const stored = live.metadata;
  const version = textAt(metadata, "resourceVersion");
  checkVersionForm(version);
  if (version !== "" && version !== stored.resourceVersion) {
    throw conflict(type.group, type.plural, stored.name);
  }
  const { generation: _, namespace: __, ...given } = metadata;
  return { ...given, ...serverOwned(stored) };
}

/** Returns the forbidden changes of metadata; one cause each. */
export function changeCauses(target: Target, live: KubeObject, metadata: JsonObject): Cause[] {
  const { type } = target;
  const stored = live.metadata;
  const causes: Cause[] = [];
  // A given creationTimestamp is ignored, as by Kubernetes 1.34.
  for (const member of ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"]) {
    const given = metadata[member];
    if (given === undefined || given === stored[member]) continue;
    causes.push(invalidValue(`metadata.${member}`, given, "field is immutable"));
  }
  const keepsMetadata = type.custom && target.subresource === "status";
  const isDeleting = stored.deletionTimestamp !== undefined && !keepsMetadata;
  const added = isDeleting ? newFinalizers(stored, metadata) : [];
  if (added.length > 0) {
    const list = added.map((name) => JSON.stringify(name)).join(", ");
    const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
    causes.push({ reason: "FieldValueForbidden", message, field: "metadata.finalizers" });
  }
  return causes;
}

/** Throws StatusError 500, as the real server does, for a resourceVersion that is not a number. */
export function checkVersionForm(version: string): void {
  if (/^\d*$/.test(version)) return;
  throw new StatusError(500, "", `strconv.ParseUint: parsing "${version}": invalid syntax`);
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
  const known = new Set(stored.finalizers);
  return listAt(metadata, "finalizers")
    .map(String)
    .filter((name) => !known.has(name));
}

/** Returns 422 of an update that lacks its resourceVersion. */
export function missingVersion(target: Target, name: string): StatusError {
  const { type } = target;
  const message = "Invalid value: 0: must be specified for an update";
  return invalid(type.group, type.plural, name, [
    { reason: "FieldValueInvalid", message, field: "metadata.resourceVersion" },
  ]);
}
