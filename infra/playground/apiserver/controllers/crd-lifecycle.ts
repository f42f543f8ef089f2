import { withoutMembers } from "../apply/ownership.ts";
import { webhookOf } from "../kinds/conversion-webhook.ts";
import { CRD_FINALIZER, toResourceType } from "../kinds/crd.ts";
import type { ResourceType } from "../kinds/registry.ts";
import { type JsonObject, sameJson } from "../objects/json.ts";
import { type KubeObject, objectAt } from "../objects/kube-object.ts";
import type { VirtualServer } from "../request/request.ts";
import { storeOrRelease } from "../rest/commit.ts";
import { startDeletion } from "../rest/delete.ts";
import { WorkQueue } from "./work-queue.ts";

const DEFINITIONS = "apiextensions.k8s.io/customresourcedefinitions";

/** Serves what CRDs define, from the write that creates them to the deletion of their last object. */
export class CrdLifecycle {
  readonly #server: VirtualServer;
  readonly #queue: WorkQueue;
  /** id of a resource type → name of its CRD, while that is being deleted. */
  readonly #terminating = new Map<string, string>();

  constructor(server: VirtualServer) {
    this.#server = server;
    this.#queue = new WorkQueue(server.clock, (name) => this.#cleanUp(name));
    server.storage.onChange((type, change) => {
      if (type === DEFINITIONS) this.#observe(change.type === "DELETED", change.object, change.previous);
      const definition = change.type === "DELETED" ? this.#terminating.get(type) : undefined;
      if (definition !== undefined) this.#queue.add(definition);
    });
  }

  stop(): void {
    this.#queue.stop();
  }

  #observe(isGone: boolean, crd: KubeObject, previous: KubeObject | undefined): void {
    const { registry } = this.#server;
    const spec = objectAt(crd, "spec");
    const id = `${spec["group"]}/${objectAt(spec, "names")["plural"]}`;
    if (isGone) {
      this.#terminating.delete(id);
      registry.delete(id);
      this.#server.storage.collection(id).endWatches();
      return;
    }
    // An unchanged spec keeps the type, and with it the shapes that objects already have.
    if (!sameJson(spec, previous?.["spec"])) registry.set(this.#withConversion(toResourceType(crd), spec));
    if (crd.metadata.deletionTimestamp === undefined) return;
    this.#terminating.set(id, crd.metadata.name);
    this.#queue.add(crd.metadata.name);
  }

  #withConversion(type: ResourceType, spec: JsonObject): ResourceType {
    const conversion = objectAt(spec, "conversion");
    if (conversion["strategy"] !== "Webhook") return type;
    return { ...type, convert: webhookOf(type, conversion, this.#server) };
  }

  #cleanUp(name: string): void {
    const { registry, storage } = this.#server;
    const crd = storage.collection(DEFINITIONS).find(`/${name}`);
    const definitions = registry.get(DEFINITIONS);
    if (crd?.metadata.deletionTimestamp === undefined || !definitions) return;
    const type = registry.get(toResourceType(crd).id);
    if (type && this.#deleteAll(type) > 0) return;
    if (!crd.metadata.finalizers?.includes(CRD_FINALIZER)) return;
    const next = withoutMembers(crd, "finalizers", (finalizer) => finalizer === CRD_FINALIZER);
    storeOrRelease(this.#server, definitions, next);
  }

  #deleteAll(type: ResourceType): number {
    const collection = this.#server.storage.collection(type.id);
    for (const object of [...collection.values()]) {
      if (object.metadata.deletionTimestamp !== undefined) continue;
      const options = { dryRun: false, propagation: "Background" as const };
      startDeletion(this.#server, type, object, { options, now: this.#server.clock.now() });
    }
    return collection.size;
  }
}
