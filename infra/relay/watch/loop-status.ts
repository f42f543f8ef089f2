import type { Traffic } from "./loop-meter.ts";

/** How a watch loop stands, for people and metrics. */
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
  /** Answers are too large: what the last list left out, as text for a person. */
  readonly oversized: string | undefined;
}
