import type { Random } from "../../../../shared/runtime/ports.ts";
import type { NoteCount } from "../../../../shared/runtime/queue/queue-port.ts";
import { forgetCount } from "../../claim.ts";
import { LEDGER_LIMITS, type LedgerLimits, RESEND_MS } from "../../limits.ts";
import type { TokenLedger } from "../../tokens/token-ledger.ts";
import { TOKEN_WINDOW } from "../../tokens/token-queue.ts";
import type { LedgerServer } from "../redis/ledger/ledger-reader.ts";
import {
  type Argument,
  headOf,
  type LuaTexts,
  ledgerPrefix,
  readLua,
  type ScriptName,
  scriptsOf,
} from "../redis/ledger/redis-scripts.ts";
import { createScriptLedger } from "../redis/ledger/script-ledger.ts";
import { type LuaVm, loadLua } from "./lua-vm.ts";
import { hasNothingToMove, nextTickAt } from "./next-tick.ts";
import type { Reply, TinyRedis } from "./tiny-redis.ts";

/** A Lua and the scripts of the ledger. */
export interface LedgerHost {
  readonly lua: LuaVm;
  readonly texts: LuaTexts;
}

let loaded: Promise<LedgerHost> | undefined;

/** Loads what ledgers in this process share, once. */
export function loadLedgerHost(): Promise<LedgerHost> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<LedgerHost> {
  const [lua, texts] = await Promise.all([loadLua(), readLua()]);
  return { lua, texts };
}

export interface ScriptsOptions {
  readonly host: LedgerHost;
  readonly redis: TinyRedis;
  readonly random: Pick<Random, "number" | "id">;
  readonly limits?: Partial<LedgerLimits>;
}

type RunHere = (script: ScriptName, functionName: string, args: readonly Argument[]) => Reply;

/** The reply of a tick that has found nothing, as the script gives it. */
const NOTHING_MOVED: Reply = [-1, [], [], [], 1];

/** Returns what runs a script in this process: at once. */
export function createScripts({ host, redis, random, limits }: ScriptsOptions): RunHere {
  const texts = scriptsOf(host.texts, { ...LEDGER_LIMITS, ...limits });
  const scripts = new Map([...texts].map(([name, text]) => [name, host.lua.script(text)] as const));
  const own = { resendMs: RESEND_MS, window: TOKEN_WINDOW };
  return (script, functionName, args) => {
    // Drawn for every call: which ones are skipped must not change what a simulation draws next.
    const head = headOf({ seed: random.id(8), chance: random.number(), ...own });
    if (script === "tick" && hasNothingToMove(redis, functionName)) return NOTHING_MOVED;
    return scripts.get(script)?.(redis, ledgerPrefix(functionName), [...head, ...args].map(String)) ?? null;
  };
}

export interface EmbeddedLedgerOptions extends Pick<ScriptsOptions, "redis" | "limits"> {
  readonly run: RunHere;
  readonly noteCount?: NoteCount;
}

/** Creates the ledger that Redis has (`../redis/ledger/lua`) in this process. A call has its effect before it returns. */
export function createEmbeddedLedger(options: EmbeddedLedgerOptions): TokenLedger {
  const { run, redis, noteCount = forgetCount } = options;
  const limits = { ...LEDGER_LIMITS, ...options.limits };
  const ledger = createScriptLedger({
    run: async (_, script, functionName, args) => run(script, functionName, args),
    server: serverOf(redis),
    takeTicks: async () => true,
    noteCount,
    atOnce: 1,
  });
  return {
    ...ledger,
    nextTickMs(functionName) {
      const at = nextTickAt(redis, functionName, limits);
      return at === undefined ? undefined : Math.max(0, at - redis.now);
    },
  };
}

function serverOf(redis: TinyRedis): LedgerServer {
  const list = (...call: Parameters<TinyRedis["call"]>): string[] => redis.call(...call) as string[];
  return {
    hgetall: async (hash) => Object.fromEntries(redis.hash(hash)),
    hmget: async (hash, ...fields) => list("HMGET", hash, ...fields),
    hscan: async (hash) => ["0", list("HGETALL", hash)],
    zrange: async (...args) => list("ZRANGE", ...args),
    zrangebyscore: async (...args) => list("ZRANGEBYSCORE", ...args),
  };
}
