import type { WatchEvent } from "../ports.ts";

/** The traffic of a watch loop, KR-23. Instants are ms since epoch, undefined before the first. */
export interface Traffic {
  /** Complete lists, including those that a watch began with. */
  readonly lists: number;
  /** The number of events without bookmarks. */
  readonly events: number;
  readonly eventsByType: { readonly [type in WatchEvent["type"]]: number };
  /** Bytes of watches, decompressed. */
  readonly bytes: number;
  readonly lastByteAt: number | undefined;
  /** The time of the last event without bookmarks. */
  readonly lastEventAt: number | undefined;
  /** Last event, bookmark or list. */
  readonly lastHeardAt: number | undefined;
  /** The time from the last write of our own until its event was handled, in ms, to the second. */
  readonly lagMs: number | undefined;
}

/** The state of a watch loop, for people and metrics. */
export interface LoopStatus extends Traffic {
  readonly name: string;
  /** See the states in infra/relay/watch/watch-loop.ts. */
  readonly state: "listing" | "streaming" | "backoff" | "stopped";
  readonly undecodable: number;
  /** The reconnects by cause: `closed`, or the reason of the error. */
  readonly reconnects: { readonly [cause: string]: number };
  readonly resourceVersion: string | undefined;
  /** Events that wait for the consumer. */
  readonly pending: number;
  /** A text for people when answers are too large: names the objects that the last list left out. */
  readonly oversized: string | undefined;
}
