import type { MalformedToken } from "./malformed-token.ts";
import type { Token } from "./token-ledger.ts";

export type HandleToken = (arrived: Token | MalformedToken) => Promise<void>;

/** Carries the tokens of one function to its workers. */
export interface Transport {
  /** Tokens travel on the connection of the ledger's `enqueue`: a token sent after a call arrives after it. */
  readonly followsLedger?: true;
  send(tokens: readonly Token[]): Promise<void>;
  /** Calls `handle` for up to `concurrency` tokens at a time; a token is acknowledged when it settles. */
  receive(handle: HandleToken, concurrency: number): Promise<Receiver>;
  close(): Promise<void>;
}

export interface Receiver {
  /** Fetches nothing more and waits for the handlers, at most `deadlineMs`. */
  close(deadlineMs: number): Promise<void>;
}
