import { NAMESPACE_FINALIZER } from "../kinds/core-strategies.ts";
import type { ResourceType } from "../kinds/registry.ts";
import { type JsonObject, sameJson } from "../objects/json.ts";
import { type KubeObject, keyOf, objectAt, omit, timestamp } from "../objects/kube-object.ts";
import type { VirtualServer } from "../request/request.ts";
import { storeOrRelease } from "../rest/commit.ts";
import { startDeletion } from "../rest/delete.ts";
import { WorkQueue } from "./work-queue.ts";

const NAMESPACES = "/namespaces";
const INITIAL = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Creates the namespaces that every cluster has, unless they are there already. */
export function createInitialNamespaces(server: VirtualServer): void {
  for (const name of INITIAL) {
    if (server.storage.collection(NAMESPACES).find(`/${name}`)) continue;
    const metadata = {
      name,
      uid: server.random.uuid(),
      resourceVersion: "",
      creationTimestamp: timestamp(server.clock.now()),
      labels: { "kubernetes.io/metadata.name": name },
    };
    const spec = { finalizers: [NAMESPACE_FINALIZER] };
    server.storage.put(NAMESPACES, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata,
      spec,
      status: { phase: "Active" },
    });
  }
}

/** Empties namespaces that are being deleted; a namespace goes when nothing is left in it. */
export class NamespaceController {
  readonly #server: VirtualServer;
  readonly #queue: WorkQueue;
  readonly #terminating = new Set<string>();

  constructor(server: VirtualServer) {
    this.#server = server;
    this.#queue = new WorkQueue(server.clock, (name) => this.#empty(name));
    server.storage.onChange((type, change) => {
      if (type === NAMESPACES) this.#observe(change.type === "DELETED", change.object);
      const namespace = change.object.metadata.namespace;
      if (namespace !== undefined && change.type === "DELETED" && this.#terminating.has(namespace)) {
        this.#queue.add(namespace);
      }
    });
  }

  stop(): void {
    this.#queue.stop();
  }

  #observe(isGone: boolean, { metadata }: KubeObject): void {
    if (isGone) this.#terminating.delete(metadata.name);
    else if (metadata.deletionTimestamp !== undefined && !this.#terminating.has(metadata.name)) {
      this.#terminating.add(metadata.name);
      this.#queue.add(metadata.name);
    }
  }

  #empty(name: string): void {
    const namespace = this.#server.storage.collection(NAMESPACES).find(`/${name}`);
    if (namespace?.metadata.deletionTimestamp === undefined) return;
    const remaining: ResourceType[] = [];
    for (const type of this.#server.registry.types) {
      if (type.namespaced && this.#deleteAll(type, name) > 0) remaining.push(type);
    }
    const type = this.#server.registry.get(NAMESPACES);
    if (!type) return;
    if (remaining.length === 0) {
      storeOrRelease(this.#server, type, {
        ...namespace,
        spec: omit(objectAt(namespace, "spec"), "finalizers"),
      });
    } else this.#report(namespace, remaining);
  }

  /** Returns how many objects finalizers hold. */
  #deleteAll(type: ResourceType, namespace: string): number {
    const collection = this.#server.storage.collection(type.id);
    for (const object of [...collection.scan(namespace)]) {
      // An earlier deletion of this loop may have taken it along.
      if (
        collection.find(keyOf(object.metadata)) !== object ||
        object.metadata.deletionTimestamp !== undefined
      )
        continue;
      const options = { dryRun: false, propagation: "Background" as const };
      startDeletion(this.#server, type, object, { options, now: this.#server.clock.now() });
    }
    return [...collection.scan(namespace)].length;
  }

  #report(namespace: KubeObject, remaining: readonly ResourceType[]): void {
    const status = objectAt(namespace, "status");
    const names = remaining.map((type) => `${type.plural}.${type.group}`).sort();
    const message = `Some resources are remaining: ${names.join(", ")}`;
    const present = objectAt({ content: conditionOf(status, "NamespaceContentRemaining") ?? {} }, "content");
    if (sameJson(present["message"], message)) return;
    const since = timestamp(this.#server.clock.now());
    const condition = (type: string, reason: string, text: string): JsonObject => ({
      type,
      status: "True",
      reason,
      message: text,
      lastTransitionTime: since,
    });
    const conditions = [
      condition("NamespaceContentRemaining", "SomeResourcesRemain", message),
      condition(
        "NamespaceFinalizersRemaining",
        "SomeFinalizersRemain",
        "Some content in the namespace has finalizers remaining",
      ),
    ];
    this.#server.storage.put(NAMESPACES, { ...namespace, status: { ...status, conditions } });
  }
}

function conditionOf(status: JsonObject, type: string): JsonObject | undefined {
  const conditions = Array.isArray(status["conditions"])
    ? (status["conditions"] as readonly JsonObject[])
    : [];
  return conditions.find((condition) => condition["type"] === type);
}
