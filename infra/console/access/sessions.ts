import { createHash } from "node:crypto";
import { MINUTE } from "../../../shared/function/backoff.ts";
import type { Clock, Random } from "../../../shared/runtime/ports.ts";

/** The credential by which a person was let in. */
export type Credential = { readonly by: "code" } | { readonly by: "token"; readonly token: string };

interface Session {
  readonly credential: Credential;
  readonly until: Date;
}

/** Sessions of browsers, in the memory of this process. */
export interface Sessions {
  /** Returns the key of a new one. */
  open(credential: Credential): { readonly key: string; readonly until: Date };
  /** Counts as use. Undefined: unknown, older than 10 h, or idle for more than 1 h. */
  find(key: string): Session | undefined;
}

const KEY_BYTES = 32;
const LIFE_MS = 600 * MINUTE;
const IDLE_MS = 60 * MINUTE;
const MAX_SESSIONS = 1_000;

interface Kept extends Session {
  readonly usedAtMs: number;
}

export function createSessions(random: Pick<Random, "id">, clock: Clock): Sessions {
  /** Sessions by digest of the key, the longest unused first. */
  const kept = new Map<string, Kept>();
  return {
    open(credential) {
      const nowMs = clock.now().getTime();
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size >= MAX_SESSIONS) kept.delete(oldest);
      const key = random.id(KEY_BYTES);
      const until = new Date(nowMs + LIFE_MS);
      kept.set(digestOf(key), { credential, until, usedAtMs: nowMs });
      return { key, until };
    },
    find(key) {
      const digest = digestOf(key);
      const found = kept.get(digest);
      if (found === undefined) return undefined;
      kept.delete(digest);
      const nowMs = clock.now().getTime();
      if (nowMs >= found.until.getTime() || nowMs - found.usedAtMs >= IDLE_MS) return undefined;
      kept.set(digest, { ...found, usedAtMs: nowMs });
      return found;
    },
  };
}

/** A look-up by digest takes the same time for each wrong key. */
function digestOf(key: string): string {
  return createHash("sha256").update(key).digest("base64");
}
