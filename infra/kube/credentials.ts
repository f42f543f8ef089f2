import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { ServerAccess } from "./server-access.ts";
import { type Connect, createTransport, type Transport } from "./transport.ts";

export interface CredentialsOptions {
  readonly clock: Clock;
  readonly log?: Log | undefined;
  /** Asked once after a 401; `undefined` keeps what there is. */
  readonly reload?: (() => Promise<ServerAccess | undefined>) | undefined;
  /** How servers are reached. Default: over the network. */
  readonly connect?: Connect | undefined;
}

/** KC-02. */
const TOKEN_FILE_MS = 60_000;
/** A plugin answers from memory until its credentials expire; this is how late that may be noticed. */
const PLUGIN_MS = 10_000;
const OLD_TRANSPORTS = 2;

/** The transport with the newest credentials of one server. */
export interface Credentials extends Disposable {
  transport(): Promise<Transport>;
  /** Whether there is now something else to try. Called at the same time by many, it asks once. */
  reload(): Promise<boolean>;
}

export function createCredentials(
  initial: ServerAccess,
  { clock, log, reload, connect = createTransport }: CredentialsOptions,
): Credentials {
  let access = initial;
  let current = connect(initial);
  const old: Transport[] = [];
  let askedAt = clock.now().getTime();
  let reloading: Promise<boolean> | undefined;

  /** Whether anything is different. Open watches keep their sockets until they end. */
  const use = (next: ServerAccess): boolean => {
    const same = isDeepStrictEqual(credentialsOf(next), credentialsOf(access));
    access = next;
    if (same) return false;
    old.push(current);
    if (old.length > OLD_TRANSPORTS) old.shift()?.[Symbol.dispose]();
    current = connect(next);
    return true;
  };
  /** Takes what is new; what cannot be had for a moment is no reason to stop using what may still work. */
  const take = async (ask: () => Promise<ServerAccess | undefined>): Promise<boolean> => {
    askedAt = clock.now().getTime();
    try {
      const next = await ask();
      return next !== undefined && use(next);
    } catch (error) {
      log?.warn(
        { server: access.server.host, error: error instanceof Error ? error.message : "unknown" },
        "the credentials could not be read again",
      );
      return false;
    }
  };

  return {
    async transport() {
      const renewal = renewalOf(access);
      if (renewal !== undefined && clock.now().getTime() - askedAt >= renewal.everyMs)
        await take(renewal.ask);
      return current;
    },
    reload() {
      const ask = async () => (await reload?.()) ?? (await renewalOf(access)?.ask());
      reloading ??= take(ask).finally(() => {
        reloading = undefined;
      });
      return reloading;
    },
    [Symbol.dispose]() {
      for (const transport of [...old, current]) transport[Symbol.dispose]();
    },
  };
}

/** Where newer credentials come from without being told, and how often to look; undefined when they stay. */
function renewalOf(access: ServerAccess) {
  const { renew, tokenFile } = access;
  if (renew !== undefined) return { everyMs: PLUGIN_MS, ask: renew };
  if (tokenFile === undefined) return undefined;
  const ask = async () => ({ ...access, token: (await readFile(tokenFile, "utf8")).trim() });
  return { everyMs: TOKEN_FILE_MS, ask };
}

function credentialsOf({ server, ca, cert, key, token }: ServerAccess) {
  return { server: server.href, ca, cert, key, token };
}
