import { LEASE_TIMING } from "../../../infra/queue/run-lease.ts";
import { readerOf } from "../../../infra/queue/tokens/reader-of.ts";
import type { TokenLedger } from "../../../infra/queue/tokens/token-ledger.ts";
import { TokenQueue } from "../../../infra/queue/tokens/token-queue.ts";
import type { NoteFailure } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { Log } from "../../../shared/runtime/ports.ts";
import type { Queue } from "../../../shared/runtime/queue/queue-port.ts";
import type { Process } from "../kernel/kernel.ts";
import type { SharedTokens } from "./shared-tokens.ts";

export interface SharedQueueOptions {
  readonly process: Process;
  readonly ledger: TokenLedger;
  readonly tokens: SharedTokens;
  readonly log: Log;
  readonly noteFailure: NoteFailure;
}

/**
 * Here a ledger signals exactly when it has work, so ticks only replace work of a killed process: 60 s
 * instead of 250 ms, or a simulated hour would be nothing but ticks.
 */
const TICK_MS = 60_000;

/** The queue as one process has it: the product's TokenQueue over the shared ledger. */
export function createSharedQueue({ process, ledger, tokens, log, noteFailure }: SharedQueueOptions): Queue {
  const { clock, random } = process;
  const functions = new Map<string, TokenQueue>();
  const open = (functionName: string): TokenQueue => {
    const known = functions.get(functionName);
    if (known !== undefined) return known;
    const transport = tokens.of(process, functionName);
    const opened = new TokenQueue({
      functionName,
      ledger,
      transport,
      clock,
      random,
      log,
      noteFailure,
      timing: LEASE_TIMING,
      anyKey: true,
      tickMs: TICK_MS,
    });
    functions.set(functionName, opened);
    return opened;
  };
  return {
    enqueue: (name, entries) => open(name).enqueue(entries),
    work: (name, options, run) => open(name).work(options, run),
    depth: (name) => ledger.depth(name),
    dead: (name) => ledger.dead(name),
    ...readerOf(ledger),
    epoch: (name) => ledger.epoch(name),
    pause: (name) => open(name).pause(true),
    resume: (name) => open(name).pause(false),
    requeue: async (name, seen, cause) => open(name).requeue(seen, cause),
    healthy: () => ({ ok: true }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
