import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../shared/runtime/ports.ts";
import type { ServerAccess } from "./server-access.ts";
import { createTransport, type Transport } from "./transport.ts";

export interface CredentialsOptions {
  readonly clock: Clock;
  /** Asked once after a 401; `undefined` keeps what there is. */
  readonly reload?: (() => Promise<ServerAccess | undefined>) | undefined;
}

const TOKEN_FILE_MS = 60_000;
const OLD_TRANSPORTS = 2;

/** The transport with the newest credentials of one server. */
export interface Credentials extends Disposable {
  transport(): Promise<Transport>;
  /** Whether there is now something else to try. */
  reload(): Promise<boolean>;
}

export function createCredentials(initial: ServerAccess, { clock, reload }: CredentialsOptions): Credentials {
  let access = initial;
  let current = createTransport(initial);
  const old: Transport[] = [];
  let readAt = clock.now().getTime();
  let reloading: Promise<boolean> | undefined;

  /** Whether anything is different. Open watches keep their sockets until they end. */
  const use = (next: ServerAccess): boolean => {
    if (isDeepStrictEqual(next, access)) return false;
    access = next;
    old.push(current);
    if (old.length > OLD_TRANSPORTS) old.shift()?.[Symbol.dispose]();
    current = createTransport(next);
    return true;
  };
  const readToken = async (file: string) => {
    readAt = clock.now().getTime();
    return use({ ...access, token: (await readFile(file, "utf8")).trim() });
  };
  const load = async () => {
    const next = await reload?.();
    if (next !== undefined) return use(next);
    return access.tokenFile === undefined ? false : readToken(access.tokenFile);
  };

  return {
    async transport() {
      const due = access.tokenFile !== undefined && clock.now().getTime() - readAt >= TOKEN_FILE_MS;
      // A file that cannot be read for a moment is no reason to stop using a token that still works.
      if (due && access.tokenFile !== undefined) await readToken(access.tokenFile).catch(() => false);
      return current;
    },
    reload() {
      reloading ??= load()
        .catch(() => false)
        .finally(() => {
          reloading = undefined;
        });
      return reloading;
    },
    [Symbol.dispose]() {
      for (const transport of [...old, current]) transport[Symbol.dispose]();
    },
  };
}
