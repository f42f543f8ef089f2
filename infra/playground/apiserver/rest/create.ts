import { answerReview } from "../access/permissions.ts";
import { trackUpdate } from "../apply/managed-fields.ts";
import { alreadyExists, StatusError } from "../errors/status-error.ts";
import { kindVersions } from "../kinds/conversion.ts";
import { generateName } from "../kinds/metadata.ts";
import { groupVersion, qualifiedPlural } from "../kinds/registry.ts";
import type { JsonObject } from "../objects/json.ts";
import { type KubeObject, textAt, timestamp, withMetadata } from "../objects/kube-object.ts";
import { decodeObject } from "../request/body.ts";
import { type Answer, type ApiRequest, type WriteOptions, writeOptions } from "../request/request.ts";
import { admit, restrictToEndpoint } from "./admission.ts";
import { checkBody, checkKind } from "./checked-body.ts";
import { checkPlace, commitNew, findStored } from "./commit.ts";
import { checkVersionForm, newMetadata } from "./object-meta.ts";

const GENERATED_NAME_TRIES = 8;

/** Serves POST to a collection: stores a new object. */
export async function create(request: ApiRequest): Promise<Answer> {
  const options = writeOptions(request, "create");
  const { value, duplicates } = await decodeObject(request.contentType, request.body);
  const { type } = request.target;
  const checked = checkBody(request, value, duplicates, options);
  checkKind(request.target, checked);
  const { object } = checked;
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, ...metadata } = checked.metadata;
  if (type.review) return answerReview(request, type.review, object);
  checkPlace(request);
  const name = textAt(metadata, "name");
  const base = textAt(metadata, "generateName");
  if (name !== "" || base === "") return createNamed(request, object, metadata, { name, options });
  for (let tries = 0; ; tries++) {
    try {
      return await createNamed(request, object, metadata, {
        name: generateName(base, request.server.random),
        options,
      });
    } catch (error) {
      const clash = error instanceof StatusError && error.reason === "AlreadyExists";
      if (!clash || tries === GENERATED_NAME_TRIES) throw error;
    }
  }
}

async function createNamed(
  request: ApiRequest,
  object: JsonObject,
  metadata: JsonObject,
  { name, options }: { readonly name: string; readonly options: WriteOptions },
): Promise<Answer> {
  const sent = { ...object, metadata: newMetadata(request, metadata, name) } as KubeObject;
  const admitted = admitNew(request, await withTracking(request, sent, options.fieldManager));
  const version = textAt(metadata, "resourceVersion");
  if (Number(version) > 0 && !options.dryRun) {
    throw new StatusError(500, "", "resourceVersion should not be set on objects to be created");
  }
  return storeNew(request, withMetadata(admitted, { resourceVersion: version }), options);
}

/** Serves PUT or apply of an object that is not there; a resourceVersion is passed over, as by Kubernetes 1.34. */
export function createAtUrl(request: ApiRequest, sent: KubeObject, options: WriteOptions): Promise<Answer> {
  const resourceVersion = textAt(sent.metadata, "resourceVersion");
  checkVersionForm(resourceVersion);
  const metadata = newMetadata(request, sent.metadata, sent.metadata.name);
  const admitted = admitNew(request, { ...sent, metadata });
  return storeNew(request, withMetadata(admitted, { resourceVersion }), options);
}

function admitNew(request: ApiRequest, next: KubeObject): KubeObject {
  return admit(request, undefined, restrictToEndpoint(request.target, undefined, next));
}

/** The end of every creation: name clashes, storage. */
async function storeNew(request: ApiRequest, next: KubeObject, options: WriteOptions): Promise<Answer> {
  const { server, target } = request;
  const { type } = target;
  const existing = findStored(server, target, next.metadata.name);
  if (existing?.metadata.deletionTimestamp !== undefined) {
    const { name } = next.metadata;
    const message = `object is being deleted: ${qualifiedPlural(type)} "${name}" already exists`;
    throw new StatusError(409, "AlreadyExists", message, { name, group: type.group, kind: type.plural });
  }
  if (existing) throw nameClash(request, next);
  return commitNew(request, next, options.dryRun);
}

/** A client with a generated name is asked to try again. */
function nameClash({ target }: ApiRequest, { metadata }: KubeObject): StatusError {
  const { type } = target;
  const clash = alreadyExists(type.group, type.plural, metadata.name);
  if (metadata.generateName === undefined) return clash;
  const message = `${clash.message}, the server was not able to generate a unique name for the object`;
  return new StatusError(clash.code, clash.reason, message, { ...clash.details, retryAfterSeconds: 1 });
}

export async function withTracking(
  request: ApiRequest,
  next: KubeObject,
  manager: string,
): Promise<KubeObject> {
  const { type, served } = request.target;
  const managedFields = await trackUpdate({
    schema: served.schema,
    versions: kindVersions(type),
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
