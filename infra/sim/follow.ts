import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { KubeError } from "../../shared/function/errors.ts";
import type { Clock, KubeClient, Log } from "../../shared/runtime/ports.ts";

const WATCH_TIMEOUT_SECONDS = 300;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** A watch that ends sooner counts as a failure: reconnecting at once would turn into a storm. */
const SHORT_WATCH_MS = 1_000;

export interface FollowOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly kind: Kind<T>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called with `undefined` when the object is gone; the key is `<namespace>/<name>`. */
  readonly onChange: (key: string, object: T | undefined) => void;
}

/**
 * Lists a kind and watches it until `signal` aborts, through every kind of failure: an expired version lists again,
 * anything else pauses (0.1 s, doubled up to 5 s) and lists again. An object recreated under its name is reported as
 * gone first.
 */
export async function follow<T extends KubeObject>(options: FollowOptions<T>): Promise<void> {
  const uids = new Map<string, string>();
  let pauseMs = FIRST_PAUSE_MS;
  while (!options.signal.aborted) {
    try {
      let version = await list(options, uids);
      pauseMs = FIRST_PAUSE_MS;
      for (;;) version = await watchOnce(options, uids, version);
    } catch (error) {
      if (options.signal.aborted) return;
      if (error instanceof KubeError && error.reason === "Expired") continue;
      options.log.debug({ kind: options.kind.kind, error: String(error) }, "watch interrupted");
      await pause(options.clock, pauseMs, options.signal);
      pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
    }
  }
}

async function list<T extends KubeObject>(
  options: FollowOptions<T>,
  uids: Map<string, string>,
): Promise<string> {
  const { items, resourceVersion } = await options.client.list(options.kind, {});
  const listed = new Set(items.map(keyOf));
  for (const key of [...uids.keys()].filter((known) => !listed.has(known))) forget(options, uids, key);
  for (const item of items) remember(options, uids, item);
  return resourceVersion;
}

/** Runs one watch until the server ends it; returns the version to continue from. Throws when it ended at once. */
async function watchOnce<T extends KubeObject>(
  options: FollowOptions<T>,
  uids: Map<string, string>,
  from: string,
): Promise<string> {
  const startedAt = options.clock.now().getTime();
  let version = from;
  const request = { resourceVersion: from, timeoutSeconds: WATCH_TIMEOUT_SECONDS };
  for await (const { type, object } of options.client.watch(options.kind, request, options.signal)) {
    if (type === "DELETED") forget(options, uids, keyOf(object));
    // A watch of a kind yields objects of that kind only.
    else if (type !== "BOOKMARK") remember(options, uids, object as T);
    version = object.metadata.resourceVersion ?? version;
  }
  options.signal.throwIfAborted();
  if (options.clock.now().getTime() - startedAt < SHORT_WATCH_MS) throw new Error("the watch ended at once");
  return version;
}

function remember<T extends KubeObject>(
  options: FollowOptions<T>,
  uids: Map<string, string>,
  object: T,
): void {
  const key = keyOf(object);
  const uid = object.metadata.uid ?? "";
  if (uids.has(key) && uids.get(key) !== uid) options.onChange(key, undefined);
  uids.set(key, uid);
  options.onChange(key, object);
}

function forget<T extends KubeObject>(
  options: FollowOptions<T>,
  uids: Map<string, string>,
  key: string,
): void {
  if (uids.delete(key)) options.onChange(key, undefined);
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    signal.addEventListener("abort", end);
  });
}
