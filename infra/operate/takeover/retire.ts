import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import { type Kind, type KubeObject, type ObjectKey, objectKeyOf } from "../../../shared/api/kinds.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { endOfEntries } from "../../../shared/runtime/write/field-managers.ts";
import { loadCrds } from "../../platform/crds/crd.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import { rest } from "../../platform/rest.ts";
import { type Core, Deployment } from "./core.ts";
import type { Member } from "./families.ts";
import { WEBHOOK_CONFIGURATIONS } from "./fence.ts";
import { hasOldObjects, keptKey, type Retirement, storageOf } from "./retirement.ts";
import { ConfigMap } from "./rights.ts";
import type { Turn } from "./turn.ts";

/** A retirement of Cluster API's manager, or the way back. */
export interface Retiring {
  readonly client: ServerClient;
  /** The same, whose writes are dry runs. */
  readonly probe: ServerClient;
  readonly clock: Clock;
  readonly turn: Pick<Turn, "check">;
  readonly core: Core;
  readonly retirement: Retirement;
  readonly note: (did: string) => void;
}

const LOOK_MS = 500;
/** Another writer may be faster. */
const ATTEMPTS = 20;
const STOPPED_WITHIN_MS = 2 * MINUTE;
const READY_WITHIN_MS = 5 * MINUTE;
/** An API server refuses ConfigMaps of more than a MiB. */
const MAX_KEPT_BYTES = 900_000;
const pack = promisify(gzip);
const unpack = promisify(gunzip);

/**
 * Retires Cluster API's manager: keeps what it changes, has every object stored in the newest version while the webhook
 * still converts, ends the conversion, and only then removes the webhooks, the manager and the schemas. Continues where
 * an earlier run has ended.
 */
export async function retire(retiring: Retiring): Promise<void> {
  const { core, retirement, note } = retiring;
  const { definitions, configurations, kept } = retirement;
  if (kept === undefined) await keep(retiring);
  note("All that changes is kept for the way back");
  const removeWebhooks = async () => {
    for (const { kind, object } of configurations) await remove(retiring, kind, object);
  };
  // Webhooks of a manager that does not run refuse every write.
  if (core.replicas === 0) await removeWebhooks();
  for (const crd of definitions) await endConversion(retiring, crd);
  note(`${definitions.length} CustomResourceDefinitions need no conversion any more`);
  // A server that refuses a schema must say so while the manager still runs.
  await replaceSchemas({ ...retiring, client: retiring.probe });
  await removeWebhooks();
  note(`${configurations.length} webhook configurations deleted`);
  await scale(retiring, 0);
  await until(
    retiring,
    STOPPED_WITHIN_MS,
    "still runs",
    (deployment) => countAt(deployment, "replicas") === 0,
  );
  note(`Deployment ${nameOf(retiring.core.deployment)} stopped`);
  const own = await replaceSchemas(retiring);
  note(`${own} CustomResourceDefinitions are Capstan's, with its rules in place of the webhooks`);
}

/** Brings the manager back, as it was; Clusters stay with Capstan until `back`. */
export async function undo(retiring: Retiring): Promise<void> {
  const { client, core, retirement, note } = retiring;
  const { kept } = retirement;
  if (kept === undefined)
    throw new Error("nothing was kept: Cluster API's manager was not retired by this command");
  await scale(retiring, Number(valueAt(kept, "data.replicas")));
  await until(
    retiring,
    READY_WITHIN_MS,
    "is not ready",
    (deployment) => countAt(deployment, "readyReplicas") > 0,
  );
  note(`Deployment ${nameOf(core.deployment)} runs`);
  const objects = await keptObjects(kept);
  for (const object of objects.filter(({ kind }) => kind === CustomResourceDefinition.kind))
    await restoreDefinition(retiring, object);
  for (const kind of WEBHOOK_CONFIGURATIONS) {
    for (const { metadata, ...object } of objects.filter((one) => one.kind === kind.kind)) {
      const { name, labels, annotations } = metadata;
      if ((await client.get(kind, { namespace: "", name })) !== undefined) continue;
      await write(retiring, () =>
        client.create(kind, { ...object, metadata: { name, labels, annotations } } as KubeObject),
      );
    }
  }
  note(`${objects.length} CustomResourceDefinitions and webhook configurations are as they were`);
  await remove(retiring, ConfigMap, kept);
}

async function write<T>({ turn }: Retiring, send: () => Promise<T>): Promise<T> {
  turn.check();
  return send();
}

async function keep(retiring: Retiring): Promise<void> {
  const { client, core, retirement } = retiring;
  const objects = [...retirement.definitions, ...retirement.configurations.map(({ object }) => object)];
  const packed = await Promise.all(
    objects.map(async ({ kind, metadata: { managedFields: _, ...metadata }, ...object }: KeptObject) => {
      const text = JSON.stringify({ ...object, kind, metadata, status: undefined });
      return [
        `${kind}.${metadata.name}.json.gz`,
        (await pack(text, { level: 9 })).toString("base64"),
      ] as const;
    }),
  );
  const bytes = packed.reduce((sum, [, text]) => sum + text.length, 0);
  if (bytes > MAX_KEPT_BYTES)
    throw new Error(
      `all that has to be kept for the way back has ${bytes} bytes, and a ConfigMap may have ${MAX_KEPT_BYTES}`,
    );
  await write(retiring, () =>
    client.create(ConfigMap, {
      apiVersion: "v1",
      kind: ConfigMap.kind,
      metadata: keptKey(core.deployment.namespace),
      data: {
        about: "Changed by capstan takeover retire; capstan takeover retire --undo needs it and deletes it",
        replicas: String(Math.max(1, core.replicas)),
      },
      binaryData: Object.fromEntries(packed),
    } as unknown as KubeObject),
  );
}

type KeptObject = KubeObject & { readonly metadata: { readonly managedFields?: unknown } };

async function keptObjects(kept: KubeObject): Promise<readonly KubeObject[]> {
  const texts = Object.values((valueAt(kept, "binaryData") ?? {}) as { readonly [name: string]: string });
  return Promise.all(
    texts.map(
      async (text) => JSON.parse((await unpack(Buffer.from(text, "base64"))).toString()) as KubeObject,
    ),
  );
}

/** Writes every object once in the version that stays, while the conversion webhook answers. */
async function endConversion(retiring: Retiring, found: CustomResourceDefinition): Promise<void> {
  const storage = storageOf(found);
  await rewriteObjects(retiring, found, !hasOldObjects(found));
  const isOld = ({ name, served }: { readonly name: string; readonly served: boolean }) =>
    served && name !== storage;
  await patchDefinition(
    retiring,
    found,
    (crd) =>
      hasOldObjects(crd) ? [{ op: "replace", path: "/status/storedVersions", value: [storage] }] : [],
    "status",
  );
  await patchDefinition(retiring, found, (crd) => [
    ...crd.spec.versions.flatMap((version, index): readonly PatchOperation[] =>
      isOld(version) ? [{ op: "replace", path: `/spec/versions/${index}/served`, value: false }] : [],
    ),
    ...(valueAt(crd, "spec.conversion.strategy") === "None"
      ? []
      : ([{ op: "replace", path: "/spec/conversion", value: { strategy: "None" } }] as const)),
  ]);
}

/** Objects that lie in an older version are stored again, and field managers of versions that go are forgotten. */
async function rewriteObjects(
  retiring: Retiring,
  crd: CustomResourceDefinition,
  isStored: boolean,
): Promise<void> {
  const { group, names, scope } = crd.spec;
  const version = storageOf(crd);
  const { kind: name, plural } = names;
  const kind: Kind = { group, version, kind: name, plural, namespaced: scope !== "Cluster" };
  const wanted = `${group}/${version}`;
  for await (const { items } of retiring.client.pages(kind, {}))
    for (const object of items)
      await patchUntilDone(retiring, { kind, object }, (one) => {
        const changes = endOfEntries(one, ({ apiVersion }) => apiVersion !== wanted);
        return changes.length === 0 && isStored ? undefined : changes;
      });
}

/** The CRDs of Cluster API for Capstan's kinds become Capstan's. Returns how many there are. */
async function replaceSchemas(retiring: Retiring): Promise<number> {
  const ours = new Map((await loadCrds()).map((crd) => [crd.metadata.name, crd]));
  const replaced = retiring.retirement.definitions.filter(({ metadata }) => ours.has(metadata.name));
  for (const found of replaced) {
    const own = ours.get(found.metadata.name);
    await patchDefinition(retiring, found, ({ metadata }) => [
      { op: "replace", path: "/spec", value: valueAt(own, "spec") },
      { op: "add", path: "/metadata/labels", value: { ...metadata.labels, ...own?.metadata.labels } },
    ]);
  }
  return replaced.length;
}

function restoreDefinition(retiring: Retiring, kept: KubeObject): Promise<void> {
  return patchDefinition(retiring, kept, () => [
    { op: "replace", path: "/spec", value: valueAt(kept, "spec") },
    { op: "add", path: "/metadata/labels", value: kept.metadata.labels ?? {} },
  ]);
}

async function patchDefinition(
  retiring: Retiring,
  { metadata }: KubeObject,
  operations: (crd: CustomResourceDefinition) => readonly PatchOperation[],
  subresource?: "status",
): Promise<void> {
  const object = await retiring.client.get(CustomResourceDefinition, { namespace: "", name: metadata.name });
  if (object === undefined) return;
  const changes = (crd: KubeObject) => {
    const wanted = operations(crd as CustomResourceDefinition);
    return wanted.length === 0 ? undefined : wanted;
  };
  const kind = CustomResourceDefinition as Kind;
  await patchUntilDone(retiring, { kind, object }, changes, subresource);
}

/** Reads again when another writer was faster; what is gone, or another object of that name, needs nothing. */
async function patchUntilDone(
  retiring: Retiring,
  { kind, object: found }: Member,
  operations: (object: KubeObject) => readonly PatchOperation[] | undefined,
  subresource?: "status",
): Promise<void> {
  const { client, clock } = retiring;
  let object: KubeObject | undefined = found;
  for (let attempt = 1; object !== undefined; attempt += 1) {
    if (object.metadata.uid !== found.metadata.uid) return;
    const changes = operations(object);
    if (changes === undefined) return;
    const { uid, resourceVersion } = object.metadata;
    const guards = [
      { op: "test", path: "/metadata/uid", value: uid },
      { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
    ] as const;
    try {
      const key = objectKeyOf(object);
      await write(retiring, () => client.jsonPatch(kind, key, [...guards, ...changes], subresource));
      return;
    } catch (error) {
      if (!(error instanceof KubeError) || error.class !== "Conflict" || attempt === ATTEMPTS) throw error;
    }
    await rest(LOOK_MS, clock);
    object = await client.get(kind, objectKeyOf(found));
  }
}

async function remove(retiring: Retiring, kind: Kind, { metadata }: KubeObject): Promise<void> {
  const { uid = "" } = metadata;
  const key = { namespace: metadata.namespace ?? "", name: metadata.name };
  await write(retiring, () => retiring.client.delete(kind, key, { uid }));
}

async function scale(retiring: Retiring, replicas: number): Promise<void> {
  const { client, core } = retiring;
  const kind = Deployment as unknown as Kind;
  const object: KubeObject | undefined = await client.get(kind, core.deployment);
  if (object === undefined) throw new Error(`Deployment ${nameOf(core.deployment)} does not exist`);
  await patchUntilDone(retiring, { kind, object }, (one) =>
    valueAt(one, "spec.replicas") === replicas
      ? undefined
      : [{ op: "add", path: "/spec/replicas", value: replicas }],
  );
}

async function until(
  { client, clock, core }: Retiring,
  withinMs: number,
  problem: string,
  isDone: (deployment: KubeObject) => boolean,
): Promise<void> {
  const end = clock.now().getTime() + withinMs;
  for (;;) {
    const deployment = await client.get(Deployment as unknown as Kind, core.deployment);
    if (deployment !== undefined && isDone(deployment)) return;
    if (clock.now().getTime() > end) {
      const where = `Deployment ${nameOf(core.deployment)}`;
      throw new Error(
        `${where} ${problem} after ${withinMs / SECOND} s; kubectl describe it, and start the same command again`,
      );
    }
    await rest(LOOK_MS, clock);
  }
}

function countAt(deployment: KubeObject, field: "replicas" | "readyReplicas"): number {
  return Number(valueAt(deployment, `status.${field}`) ?? 0);
}

function nameOf({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}
