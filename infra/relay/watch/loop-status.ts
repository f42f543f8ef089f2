import type { Traffic } from "./loop-meter.ts";

/** The state of a watch loop, for people and metrics. */
export interface LoopStatus extends Traffic {
  readonly name: string;
  /** See the states of `watch-loop.ts`. */
  readonly state: "listing" | "streaming" | "backoff" | "stopped";
  readonly undecodable: number;
  /** By cause: `closed`, or the reason of the error. */
  readonly reconnects: { readonly [cause: string]: number };
  readonly resourceVersion: string | undefined;
  /** Events that wait for the consumer. */
  readonly pending: number;
  /** A text for people when answers are too large: names the objects that the last list left out. */
  readonly oversized: string | undefined;
}
