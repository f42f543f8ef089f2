import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { LoopStatus } from "../../../shared/runtime/read/loop-status.ts";
import { isAtLeast, newestOf } from "../../../shared/runtime/resource-version.ts";
import { nameOf } from "../delivery/other-server.ts";
import type { CompleteList, Kept, WatchConsumer } from "../watch/watch-consumer.ts";
import type { WatchLoop } from "../watch/watch-loop.ts";

interface JoinedOptions {
  readonly namespaces: readonly string[];
  /** Starts the watch of one namespace. */
  start(namespace: string, consumer: WatchConsumer): WatchLoop;
  readonly consumer: WatchConsumer;
  /** Returns what the consumer has of the type. */
  known(): Promise<readonly KubeObject[]>;
}

/** Older than every version. */
const NONE = "0";

/** The watch of one namespace. */
interface Part {
  readonly namespace: string;
  /** A list that the consumer has not got yet, with the events since then. */
  list?: { readonly items: Map<string, KubeObject>; readonly news: CompleteList } | undefined;
  /** Everything up to this version is known; undefined until it has been listed. */
  version?: string | undefined;
}

/**
 * Watches a type in several namespaces, by a loop for each, as one loop: an account then needs its rights in these
 * namespaces only. The consumer gets a list once every namespace has been listed, and with each event the version up to
 * which all namespaces have been handed over: a watch may resume there, and a run may rely on it.
 */
export function startJoinedWatch(options: JoinedOptions): WatchLoop {
  return new JoinedWatch(options);
}

class JoinedWatch implements WatchLoop {
  readonly parts: readonly WatchLoop[];
  readonly #options: JoinedOptions;
  readonly #loops = new Map<Part, WatchLoop>();
  #kept: Promise<Kept | undefined> | undefined;
  /** One call of the consumer after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: JoinedOptions) {
    this.#options = options;
    for (const namespace of options.namespaces) {
      const part: Part = { namespace };
      this.#loops.set(part, options.start(namespace, this.#consumerOf(part)));
    }
    this.parts = [...this.#loops.values()];
  }

  /** Returns that of a loop which does not stream, if there is one. */
  status(): LoopStatus {
    const statuses = this.parts.map((loop) => loop.status());
    const [first] = statuses;
    if (first === undefined) throw new Error("bug: a watch of no namespace");
    return statuses.find(({ state }) => state !== "streaming") ?? first;
  }

  relist(): void {
    for (const part of this.#loops.keys()) this.#relist(part);
  }

  wrote(resourceVersion: string): void {
    for (const loop of this.parts) loop.wrote(resourceVersion);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.parts.map((loop) => loop[Symbol.asyncDispose]()));
  }

  #consumerOf(part: Part): WatchConsumer {
    const { consumer } = this.#options;
    return {
      ...consumer,
      resume: async () => {
        const kept = await this.#resume();
        const isHere = ({ metadata }: KubeObject) => metadata.namespace === part.namespace;
        return kept && { ...kept, items: kept.items.filter(isHere) };
      },
      resumed: () =>
        this.#inTurn(async () => {
          part.version = (await this.#resume())?.resourceVersion;
          if (this.#isKnown()) await consumer.resumed?.();
        }),
      listed: (items, news) => this.#inTurn(() => this.#listed(part, items, news)),
      changed: (objects, upTo) => this.#inTurn(() => this.#changed(part, objects, upTo)),
      deleted: (object, upTo) => this.#inTurn(() => this.#deleted(part, object, upTo)),
      reached: (upTo) =>
        this.#inTurn(async () => {
          if (heard(part, upTo)) await consumer.reached?.(this.#version());
        }),
    };
  }

  /** Asks the consumer once for all parts. */
  #resume(): Promise<Kept | undefined> {
    this.#kept ??= this.#options.consumer.resume?.() ?? Promise.resolve(undefined);
    return this.#kept;
  }

  async #changed(part: Part, objects: readonly KubeObject[], upTo: string): Promise<void> {
    const { consumer } = this.#options;
    if (!heard(part, upTo)) return;
    if (part.list === undefined) return consumer.changed(objects, this.#version());
    for (const object of objects) part.list.items.set(nameOf(object), consumer.reduce(object));
  }

  async #deleted(part: Part, object: KubeObject, upTo: string): Promise<void> {
    if (!heard(part, upTo)) return;
    if (part.list === undefined) return this.#options.consumer.deleted(object, this.#version());
    part.list.items.delete(nameOf(object));
  }

  async #listed(part: Part, items: readonly KubeObject[], news: CompleteList): Promise<void> {
    // Objects of the other namespaces are those of the server as it was.
    if (news.restored) for (const other of this.#loops.keys()) if (other !== part) this.#relist(other);
    part.list = { items: new Map(items.map((item) => [nameOf(item), item])), news };
    part.version = news.resourceVersion;
    if (this.#isKnown()) await this.#handOver();
  }

  /** Hands over the new lists, with what is known of the other namespaces. */
  async #handOver(): Promise<void> {
    const parts = [...this.#loops.keys()];
    const news = parts.flatMap(({ list }) => list?.news ?? []);
    const known = news.length < parts.length ? await this.#options.known() : [];
    const items = parts.flatMap(({ namespace, list }) =>
      list === undefined
        ? known.filter(({ metadata }) => metadata.namespace === namespace)
        : [...list.items.values()],
    );
    const oversized = news.flatMap((each) => each.oversized ?? []);
    const since = news.flatMap((each) => each.since ?? []);
    await this.#options.consumer.listed(items, {
      resourceVersion: newestOf(news),
      upTo: this.#version(),
      first: news.some(({ first }) => first),
      since: since.length < news.length ? undefined : oldest(since),
      restored: news.some(({ restored }) => restored),
      oversized: oversized.length === 0 ? undefined : oversized.join("; "),
    });
    for (const part of parts) part.list = undefined;
  }

  #relist(part: Part): void {
    part.list = undefined;
    part.version = undefined;
    this.#loops.get(part)?.relist();
  }

  #isKnown(): boolean {
    return [...this.#loops.keys()].every(({ version }) => version !== undefined);
  }

  /** Returns the version up to which every namespace has been handed over. */
  #version(): string {
    return oldest([...this.#loops.keys()].map(({ version = NONE }) => version));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

function oldest(versions: readonly string[]): string {
  return versions.reduce((a, b) => (isAtLeast(a, b) ? b : a));
}

/** Notes up to which version events have come; returns false when the next list of the part replaces them. */
function heard(part: Part, upTo: string): boolean {
  if (part.version === undefined) return false;
  part.version = upTo;
  return true;
}
