import { createHash } from "node:crypto";
import { MINUTE } from "../../../shared/function/backoff.ts";
import type { Clock, Random } from "../../../shared/runtime/ports.ts";
import { tokenOf } from "../../worker/diagnostics/admission.ts";
import type { SessionAnswer } from "../api/me.ts";
import { type Message, valuesOf } from "../message.ts";
import { type Problem, problem } from "../problem.ts";
import type { Viewer } from "../viewer.ts";
import type { Code } from "./door.ts";
import type { Credential, Viewers } from "./viewers.ts";

/** Lets persons in. */
export interface Admission {
  /** Opens a session for a code or a token. Throws a Problem. */
  open(message: Message, body: { readonly code?: string | undefined }): Promise<Omit<SessionAnswer, "asOf">>;
  /** The viewer of a request, by its session or token: asked for each, so that nothing outlives a right. Throws a Problem. */
  viewerOf(message: Message): Promise<Viewer>;
}

interface AdmissionOptions {
  /** The code on loopback, where tokens are not taken; absent where tokens are. */
  readonly code: Code | undefined;
  readonly sessions: Sessions;
  readonly viewers: Viewers;
}

/** Admits by session key in a header, never by cookie: a browser adds no header by itself. */
export function createAdmission({ code, sessions, viewers }: AdmissionOptions): Admission {
  const credentialFor = (message: Message, guess: string | undefined): Credential => {
    if (code !== undefined) {
      code.check(guess ?? "");
      return { by: "code" };
    }
    const token = tokenOf(message);
    if (token === undefined) throw unauthorized("the request has no bearer token", code);
    return { by: "token", token };
  };
  return {
    async open(message, body) {
      const credential = credentialFor(message, body.code);
      await viewers.of(credential);
      const { key, until } = sessions.open(credential);
      return { session: key, until: until.toISOString() };
    },
    async viewerOf(message) {
      const key = valuesOf(message, "capstan-session")[0];
      if (key === undefined) {
        const token = code === undefined ? tokenOf(message) : undefined;
        if (token === undefined) throw unauthorized("the request has no session", code);
        return viewers.of({ by: "token", token });
      }
      const session = sessions.find(key);
      if (session === undefined) throw unauthorized("the session is unknown or has ended", code);
      return viewers.of(session.credential, session.until);
    },
  };
}

function unauthorized(message: string, code: Code | undefined): Problem {
  return code === undefined
    ? problem("unauthorized", message, SEND_TOKEN, { signIn: "token" })
    : problem("unauthorized", message, OPEN_LINK, { signIn: "link" });
}
const SEND_TOKEN = "log in with a token of the management cluster, or let the proxy send one";
const OPEN_LINK = "open the link that the terminal of this console shows";

interface Session {
  readonly credential: Credential;
  readonly until: Date;
}

/** Sessions of browsers, in the memory of this process. */
interface Sessions {
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
