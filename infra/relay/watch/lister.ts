import { KubeError } from "../../../shared/function/errors.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { isVersionRefused, type Listing, type ListingOptions, listAll } from "./listing.ts";
import type { OpenWatch, WatchFrom } from "./open-watch.ts";
import type { ListMode } from "./recovery.ts";
import { readInitialEvents } from "./watch-list.ts";

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
