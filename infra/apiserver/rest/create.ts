import { answerReview } from "../access/access-review.ts";
import { trackUpdate } from "../apply/managed-fields.ts";
import { decodeObject } from "../http/body.ts";
import {
  type Answer,
  type ApiRequest,
  type VirtualServer,
  type WriteOptions,
  writeOptions,
} from "../http/request.ts";
import { alreadyExists, forbidden, notFound, StatusError } from "../http/status-error.ts";
import { groupVersion, qualifiedPlural } from "../kinds/registry.ts";
import type { JsonObject } from "../schema/schema.ts";
import { type KubeObject, textAt, timestamp, withMetadata } from "../storage/kube-object.ts";
import { admit, restrictToEndpoint } from "./admission.ts";
import { checkBody, checkKind } from "./checked-body.ts";
import { commitNew, findLive } from "./commit.ts";
import { generateName } from "./metadata.ts";
import { newMetadata } from "./object-meta.ts";

const GENERATED_NAME_TRIES = 8;

/** POST to a collection: stores a new object. */
export async function create(request: ApiRequest): Promise<Answer> {
  const options = writeOptions(request, "create");
  const { value, duplicates } = await decodeObject(request.contentType, request.body);
  const { type } = request.target;
  const checked = checkBody(request, value, duplicates, options);
  checkKind(request.target, checked);
  const { object, metadata } = checked;
  if (type.review) return answerReview(request, type.review, object);
  checkNamespace(request);
  const name = textAt(metadata, "name");
  const base = textAt(metadata, "generateName");
  if (name !== "" || base === "") return createNamed(request, object, metadata, { name, options });
  for (let tries = 0; ; tries++) {
    try {
      return createNamed(request, object, metadata, {
        name: generateName(base, request.server.random),
        options,
      });
    } catch (error) {
      const clash = error instanceof StatusError && error.reason === "AlreadyExists";
      if (!clash || tries === GENERATED_NAME_TRIES) throw error;
    }
  }
}

function createNamed(
  request: ApiRequest,
  object: JsonObject,
  metadata: JsonObject,
  { name, options }: { readonly name: string; readonly options: WriteOptions },
): Answer {
  const next = { ...object, metadata: newMetadata(request, metadata, name) } as KubeObject;
  const admitted = admit(request, undefined, restrictToEndpoint(request.target, undefined, next));
  const version = textAt(metadata, "resourceVersion");
  if (Number(version) > 0 && !options.dryRun) {
    throw new StatusError(500, "", "resourceVersion should not be set on objects to be created");
  }
  return createAdmitted(request, withMetadata(admitted, { resourceVersion: version }), {
    options,
    isTracked: false,
  });
}

/** The end of every creation, by POST or by apply: name clashes, field ownership, storage. */
export function createAdmitted(
  request: ApiRequest,
  next: KubeObject,
  { options, isTracked }: { readonly options: WriteOptions; readonly isTracked: boolean },
): Answer {
  const { server, target } = request;
  const { type } = target;
  const existing = findLive(server, target, next.metadata.name);
  if (existing?.metadata.deletionTimestamp !== undefined) {
    const { name } = next.metadata;
    const message = `object is being deleted: ${qualifiedPlural(type)} "${name}" already exists`;
    throw new StatusError(409, "AlreadyExists", message, { name, group: type.group, kind: type.plural });
  }
  if (existing) throw nameClash(request, next);
  return commitNew(
    request,
    isTracked ? next : withTracking(request, next, options.fieldManager),
    options.dryRun,
  );
}

/** Who lets names be generated is told to try again. */
function nameClash({ target }: ApiRequest, { metadata }: KubeObject): StatusError {
  const { type } = target;
  const clash = alreadyExists(type.group, type.plural, metadata.name);
  if (metadata.generateName === undefined) return clash;
  const message = `${clash.message}, the server was not able to generate a unique name for the object`;
  return new StatusError(clash.code, clash.reason, message, { ...clash.details, retryAfterSeconds: 1 });
}

function withTracking(request: ApiRequest, next: KubeObject, manager: string): KubeObject {
  const { type, served } = request.target;
  const managedFields = trackUpdate({
    schema: served.schema,
    zero: type.zero,
    live: undefined,
    next,
    manager,
    apiVersion: groupVersion(type.group, served.version),
    subresource: undefined,
    now: timestamp(request.now),
    resetFields: served.hasStatus ? ["status"] : [],
  });
  const { managedFields: _, ...metadata } = next.metadata;
  return { ...next, metadata: managedFields ? { ...metadata, managedFields } : metadata } as KubeObject;
}

/** Objects live in namespaces that exist and stay. */
export function checkNamespace({ server, target }: ApiRequest): void {
  const { type, namespace, name } = target;
  if (!type.namespaced || namespace === undefined) return;
  const found = namespaceOf(server, namespace);
  if (!found) throw notFound("", "namespaces", namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const text = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const refusal = forbidden(type.group, type.plural, name ?? "", text);
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  throw new StatusError(refusal.code, refusal.reason, refusal.message, {
    ...refusal.details,
    causes: [cause],
  });
}

function namespaceOf(server: VirtualServer, name: string): KubeObject | undefined {
  return server.storage.collection("/namespaces").find(`/${name}`);
}
