import type { NoteCount } from "../../../../../shared/runtime/queue/queue-port.ts";
import { forgetCount } from "../../../claim.ts";
import { LEDGER_LIMITS, type LedgerLimits, RESEND_MS } from "../../../limits.ts";
import type { TokenLedger } from "../../../tokens/token-ledger.ts";
import type { RedisConnection } from "../server/shards.ts";
import { type Connection, ledgerPrefix, loadScripts } from "./redis-scripts.ts";
import { createScriptLedger } from "./script-ledger.ts";

export interface RedisLedgerOptions extends Readonly<Record<Connection, RedisConnection>> {
  readonly resendMs?: number | undefined;
  /**
   * Tokens of unclaimed keys at a time. Further ready keys wait without a token for a `finish` with a next claim, or
   * for the window.
   */
  readonly window: number;
  readonly limits?: Partial<LedgerLimits>;
  readonly noteCount?: NoteCount;
}

/**
 * Creates the ledger on Redis, keys `{cap:<function>}:l:*`. Times are those of Redis. Connections belong to the
 * caller.
 */
export async function createRedisLedger(options: RedisLedgerOptions): Promise<TokenLedger> {
  const { producer, worker, resendMs = RESEND_MS, window, noteCount = forgetCount } = options;
  const limits = { ...LEDGER_LIMITS, ...options.limits };
  return createScriptLedger({
    run: await loadScripts({ producer, worker }, { resendMs, window, limits }),
    server: producer,
    prefixOf: (name) => ledgerPrefix(name, producer),
    takeTicks: async (name, forMs) =>
      (await producer.set(`${ledgerPrefix(name, producer)}ticks`, "1", "PX", forMs, "NX")) === "OK",
    noteCount,
  });
}
