import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import type { ServerAccess } from "./server-access.ts";
import { type Connect, createTransport, type Transport } from "./transport.ts";

export interface CredentialsOptions {
  readonly clock: Clock;
  readonly log?: Log | undefined;
  /** Called once after a 401; `undefined` keeps the current access. */
  readonly reload?: (() => Promise<ServerAccess | undefined>) | undefined;
  /** Opens connections to servers. Default: over the network. */
  readonly connect?: Connect | undefined;
}

/** KC-02. */
const TOKEN_FILE_MS = 60_000;
/** A plugin answers from memory until its credentials expire; the expiry is noticed this late at most. */
const PLUGIN_MS = 10_000;
const OLD_TRANSPORTS = 2;

/** The transport with the newest credentials of one server. */
export interface Credentials extends Disposable {
  transport(): Promise<Transport>;
  /** Returns whether the credentials have changed. Concurrent calls share one request. */
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

  /** Returns whether the credentials differ. Open watches keep their sockets until they end. */
  const use = (next: ServerAccess): boolean => {
    const same = isDeepStrictEqual(credentialsOf(next), credentialsOf(access));
    access = next;
    if (same) return false;
    old.push(current);
    if (old.length > OLD_TRANSPORTS) old.shift()?.[Symbol.dispose]();
    current = connect(next);
    return true;
  };
  /** Takes new credentials. When they cannot be read for a moment, the old ones stay in use: they may still work. */
  const take = async (ask: () => Promise<ServerAccess | undefined>): Promise<boolean> => {
    askedAt = clock.now().getTime();
    try {
      const next = await ask();
      return next !== undefined && use(next);
    } catch (error) {
      log?.warn(
        { server: access.server.host, error: error instanceof Error ? error.message : "unknown" },
        "the credentials cannot be read again; the old ones stay in use",
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

/** Returns how to ask for newer credentials, and how often; undefined when they never change. */
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
