import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { applyMergePatch } from "../../../../../infra/playground/apiserver/patch/json-patch.ts";
import type { ApiClient, Body, Reply, WatchEvent } from "../api-client.ts";
import { Naming } from "./comparable.ts";
import { GIZMOS_PATH } from "./gizmos.ts";
import type { Sequence, Step } from "./step.ts";

/** The last object of a sequence that watches wait for; it fits every selector that a generated watch has. */
const LAST = "zz-last";
const LAST_LABELS = { app: "a", tier: "1" };

const BOOKMARK_END = "k8s.io/initial-events-end";

/** One server playing a sequence in a namespace of its own. */
class Player {
  readonly #server: ApiClient;
  readonly #namespace: string;
  readonly #naming: Naming;
  /** Before everything in the sequence; stands in for objects that are not there. */
  #version = "";
  readonly #seen = new Map<string, string>();
  readonly #watches = new Map<number, Promise<readonly WatchEvent[]>>();

  constructor(server: ApiClient, namespace: string) {
    this.#server = server;
    this.#namespace = namespace;
    this.#naming = new Naming(namespace);
  }

  async open(): Promise<void> {
    const metadata = { name: this.#namespace };
    const { code, text, body } = await this.#server.call("POST", "/api/v1/namespaces", {
      body: { metadata },
    });
    if (code !== 201) throw new Error(`no namespace ${this.#namespace}: ${text}`);
    this.#version = body.metadata.resourceVersion;
  }

  async answer(step: Step, index: number): Promise<Json> {
    const path = this.#filled(step.path);
    if (path.includes("resourceVersion=")) await this.#catchUp(path);
    if (step.method === "WATCH") return this.#startWatch(path, step, index);
    if (step.method === "EDIT") return this.#edit(path, step);
    const body = this.#body(step.body);
    return this.#reported(
      await this.#server.call(step.method, path, { ...step, ...(body === undefined ? {} : { body }) }),
    );
  }

  /** Events that every watch was sent, by the index of its step. */
  async watched(): Promise<ReadonlyMap<number, Json>> {
    if (this.#watches.size === 0) return new Map();
    const body = {
      apiVersion: "test.capstan.dev/v1",
      kind: "Gizmo",
      metadata: { name: LAST, labels: LAST_LABELS },
    };
    await this.#server.call("POST", this.#filled(GIZMOS_PATH), { body });
    const reported = new Map<number, Json>();
    for (const [index, events] of this.#watches) {
      reported.set(
        index,
        inOrder(await events).map((event) => this.#naming.ofEvent(event)),
      );
    }
    return reported;
  }

  /**
   * A real server reads old versions from a cache that lags behind; a read of the newest version waits for the cache.
   */
  async #catchUp(path: string): Promise<void> {
    const [collection = ""] = path.split("?");
    await this.#server.call("GET", collection);
  }

  #reported(reply: Reply): Json {
    this.#learn(reply.body);
    return this.#naming.ofReply(reply);
  }

  async #edit(path: string, step: Step): Promise<Json> {
    const [object = ""] = path.split("?");
    const live = await this.#server.call("GET", object);
    if (live.code !== 200) return this.#reported(live);
    const changes = JSON.parse(this.#filled(JSON.stringify(step.body)));
    return this.#reported(
      await this.#server.call("PUT", path, { body: applyMergePatch(live.body, changes) }),
    );
  }

  /** The headers are awaited, so that everything after this step is seen. */
  async #startWatch(path: string, { accept }: Step, index: number): Promise<Json> {
    const url = `${path}${path.includes("?") ? "&" : "?"}watch=true&timeoutSeconds=20`;
    const opened = await this.#server.watch(url, accept).catch(() => undefined);
    if (opened === undefined) return this.#reported(await this.#server.call("GET", url));
    this.#watches.set(index, this.#collect(opened));
    return "watching";
  }

  async #collect(watch: Awaited<ReturnType<ApiClient["watch"]>>): Promise<readonly WatchEvent[]> {
    await using _ = watch;
    const events: WatchEvent[] = [];
    for (let event = await watch.next(); event !== undefined; event = await watch.next()) {
      if (nameOf(event) === LAST) break;
      const isTimed = event.type === "BOOKMARK" && !JSON.stringify(event).includes(BOOKMARK_END);
      if (isTimed) continue;
      events.push(event);
    }
    return events;
  }

  #body(body: unknown): string | undefined {
    if (body === undefined) return undefined;
    return this.#filled(typeof body === "string" ? body : JSON.stringify(body));
  }

  #filled(text: string): string {
    return text.replaceAll(/\{(ns|continue|(?:uid|version|first):[\w/-]+)\}/g, (_, name: string) => {
      if (name === "ns") return this.#namespace;
      const unknown = name === "continue" ? "" : name.startsWith("uid:") ? "no-such-uid" : this.#version;
      return this.#seen.get(name) ?? unknown;
    });
  }

  #learn(body: Body): void {
    const { kind, metadata } = body ?? {};
    if (/List$|^Table$/.test(kind)) this.#seen.set("continue", encodeURIComponent(metadata?.continue ?? ""));
    if (metadata?.uid === undefined || metadata.resourceVersion === undefined) return;
    const of = `${kind}/${metadata.name}`;
    this.#seen.set(`uid:${of}`, metadata.uid);
    this.#seen.set(`version:${of}`, metadata.resourceVersion);
    if (!this.#seen.has(`first:${of}`)) this.#seen.set(`first:${of}`, metadata.resourceVersion);
  }
}

/** A watch may begin with what is there in any order; all versions are of one server, so they give one. */
function inOrder(events: readonly WatchEvent[]): readonly WatchEvent[] {
  const changes = events.findIndex(({ type }) => type !== "ADDED");
  const count = changes < 0 ? events.length : changes;
  const versionOf = ({ object }: WatchEvent) =>
    Number((object.kind === "Table" ? object.rows[0]?.object : object)?.metadata?.resourceVersion ?? 0);
  const initial = events.slice(0, count).toSorted((a, b) => versionOf(a) - versionOf(b));
  return [...initial, ...events.slice(count)];
}

function nameOf({ object }: WatchEvent): string | undefined {
  return object.kind === "Table" ? object.rows[0]?.object?.metadata?.name : object.metadata?.name;
}

/** The two servers' answers to one step. */
export interface Played {
  readonly index: number;
  readonly step: Step;
  readonly real: Json;
  readonly ours: Json;
}

/** Plays a sequence on both servers, step by step at the same time. */
export async function play(
  { steps }: Sequence,
  servers: { readonly real: ApiClient; readonly ours: ApiClient },
  namespace: string,
): Promise<readonly Played[]> {
  const real = new Player(servers.real, namespace);
  const ours = new Player(servers.ours, namespace);
  await Promise.all([real.open(), ours.open()]);
  const played: Played[] = [];
  for (const [index, step] of steps.entries()) {
    const [theirs, own] = await Promise.all([real.answer(step, index), ours.answer(step, index)]);
    played.push({ index, step, real: theirs, ours: own });
  }
  const [theirs, own] = await Promise.all([real.watched(), ours.watched()]);
  return played.map((one) => ({
    ...one,
    real: theirs.get(one.index) ?? one.real,
    ours: own.get(one.index) ?? one.ours,
  }));
}
