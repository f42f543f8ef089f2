import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { checkCount } from "../../platform/kube/list-bounds.ts";
import type { ReceivedEvent } from "../../platform/kube/watch-stream.ts";
import { isVersionRefused, type Listing, type ListingOptions, listAll } from "./listing.ts";
import type { OpenWatch, WatchFrom } from "./open-watch.ts";
import type { ListMode } from "./recovery.ts";

interface Listed extends Listing {
  /** The watch that began with the list. The caller ends it. */
  readonly watch?: OpenWatch;
}

/**
 * Lists one collection (KR-05): by a watch that begins with everything; by pages while answers are too large, after a
 * failure, and from a server that does not support watch-list.
 */
export interface Lister {
  /** Returns a list at least as new as `atLeast`, if the server can (KR-09); undefined when the signal has aborted. */
  list(mode: ListMode, atLeast: string | undefined): Promise<Listed | undefined>;
}

interface ListerOptions extends ListingOptions {
  readonly clock: Clock;
  readonly open: (from: WatchFrom) => OpenWatch;
}

export function createLister(options: ListerOptions): Lister {
  let isUnknownToServer = false;
  let hasFailed = false;

  const listByWatch = async (atLeast: string | undefined): Promise<Listed | undefined> => {
    const watch = options.open({ resourceVersion: atLeast ?? "", sendInitialEvents: true });
    let listing: Listing | undefined;
    try {
      listing = await readInitialEvents(watch, { ...options, reduce: options.consumer.reduce });
      isUnknownToServer = listing === undefined;
    } catch (error) {
      hasFailed = true;
      if (!(error instanceof KubeError) || !isVersionRefused(error)) throw error;
      // A server that calls the request invalid does not support it; otherwise it refused only the version.
      isUnknownToServer = error.status === 400 || error.status === 422;
    } finally {
      if (listing === undefined || options.signal.aborted) watch[Symbol.dispose]();
    }
    return listing === undefined ? undefined : { ...listing, watch };
  };

  return {
    async list(mode, atLeast) {
      const begins = mode === "pages" && !isUnknownToServer && !hasFailed;
      hasFailed = false;
      const listed = begins ? await listByWatch(atLeast) : undefined;
      if (options.signal.aborted) return undefined;
      return listed ?? listAll({ ...options, atLeast }, mode);
    },
  };
}

const END = "k8s.io/initial-events-end";
/**
 * A server that is silent for this long has sent everything and does not support the mark. Longer than the client waits
 * for an answer to begin (10 s): a server that does not answer at all has failed, and is not asked for a list in 60 s
 * more.
 */
const SILENCE_MS = 15 * SECOND;

interface InitialEventsOptions {
  readonly kind: Kind;
  readonly reduce: (object: KubeObject) => KubeObject;
  readonly clock: Clock;
}

/**
 * Reads the beginning of a watch-list: an ADDED for everything that exists, then a marked bookmark (KR-05). The events
 * behind the mark stay in the watch. Undefined from a server that ignores the request: its events cannot be used, since
 * their versions are not resume points. Throws KubeError.
 */
async function readInitialEvents(
  watch: OpenWatch,
  { kind, reduce, clock }: InitialEventsOptions,
): Promise<Listing | undefined> {
  const items = new Map<string, KubeObject>();
  for (;;) {
    const event = await nextWithin(watch, clock);
    if (event === undefined) return undefined;
    checkCount(items.size, { kind, verb: "watch" });
    const { metadata } = event.object;
    const name = `${metadata.namespace ?? ""}/${metadata.name}`;
    if (event.type === "DELETED") items.delete(name);
    else if (event.type !== "BOOKMARK") items.set(name, reduce(event.object));
    else if (metadata.annotations?.[END] !== "true") return undefined;
    else {
      const { resourceVersion = "" } = metadata;
      return { items: [...items.values()], resourceVersion, oversized: undefined };
    }
  }
}

/** Returns the next event; undefined when the watch ended or was silent for too long. */
async function nextWithin({ events, abort }: OpenWatch, clock: Clock): Promise<ReceivedEvent | undefined> {
  let isSilent = false;
  const cancel = clock.after(SILENCE_MS, () => {
    isSilent = true;
    abort();
  });
  try {
    const next = await events.next();
    return next.done === true ? undefined : next.value;
  } catch (error) {
    if (isSilent) return undefined;
    throw error;
  } finally {
    cancel();
  }
}
