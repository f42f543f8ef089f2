import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { Clock, KubeClient, Log } from "../../../shared/runtime/ports.ts";

const WATCH_TIMEOUT_SECONDS = 300;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** A watch that ends sooner counts as a failure: reconnecting at once would turn into a storm. */
const SHORT_WATCH_MS = 1_000;

export interface FollowOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly kind: Kind<T>;
  /** The namespace; default: all. */
  readonly namespace?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called with the object as it is now, or as it was last seen when it is gone. */
  readonly onChange: (object: T, isGone: boolean) => void;
  /** Called after each list. */
  readonly onListed?: (() => void) | undefined;
}

/**
 * Lists a kind and watches it until `signal` aborts, through every kind of failure: an expired version lists again,
 * anything else pauses (0.1 s, doubled up to 5 s) and lists again. An object recreated under its name is reported as
 * gone first.
 */
export async function follow<T extends KubeObject>(options: FollowOptions<T>): Promise<void> {
  const known = new Map<string, T>();
  let pauseMs = FIRST_PAUSE_MS;
  while (!options.signal.aborted) {
    try {
      let version = await list(options, known);
      pauseMs = FIRST_PAUSE_MS;
      for (;;) version = await watchOnce(options, known, version);
    } catch (error) {
      if (options.signal.aborted) return;
      if (error instanceof KubeError && error.reason === "Expired") continue;
      options.log.debug({ kind: options.kind.kind, error: String(error) }, "watch interrupted");
      await pause(options.clock, pauseMs, options.signal);
      pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
    }
  }
}

async function list<T extends KubeObject>(options: FollowOptions<T>, known: Map<string, T>): Promise<string> {
  const { namespace } = options;
  const { items, resourceVersion } = await options.client.list(options.kind, { namespace });
  const listed = new Set(items.map(keyOf));
  for (const object of [...known.values()].filter((each) => !listed.has(keyOf(each)))) {
    forget(options, known, object);
  }
  for (const item of items) remember(options, known, item);
  options.onListed?.();
  return resourceVersion;
}

/** Runs one watch until the server ends it; returns the version to continue from. Throws when it ended at once. */
async function watchOnce<T extends KubeObject>(
  options: FollowOptions<T>,
  known: Map<string, T>,
  from: string,
): Promise<string> {
  const startedAt = options.clock.now().getTime();
  let version = from;
  const { namespace } = options;
  const request = { namespace, resourceVersion: from, timeoutSeconds: WATCH_TIMEOUT_SECONDS };
  for await (const { type, object } of options.client.watch(options.kind, request, options.signal)) {
    // A watch of a kind yields objects of that kind only.
    if (type === "DELETED") forget(options, known, object as T);
    else if (type !== "BOOKMARK") remember(options, known, object as T);
    version = object.metadata.resourceVersion ?? version;
  }
  options.signal.throwIfAborted();
  if (options.clock.now().getTime() - startedAt < SHORT_WATCH_MS) throw new Error("the watch ended at once");
  return version;
}

function remember<T extends KubeObject>(options: FollowOptions<T>, known: Map<string, T>, object: T): void {
  const key = keyOf(object);
  const before = known.get(key);
  if (before !== undefined && before.metadata.uid !== object.metadata.uid) options.onChange(before, true);
  known.set(key, object);
  options.onChange(object, false);
}

function forget<T extends KubeObject>(options: FollowOptions<T>, known: Map<string, T>, last: T): void {
  if (known.delete(keyOf(last))) options.onChange(last, true);
}

/** Returns `<namespace>/<name>`. */
export function keyOf({ metadata }: KubeObject): string {
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
