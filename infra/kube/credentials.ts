import { readFile } from "node:fs/promises";
import type { Clock } from "../../shared/runtime/ports.ts";
import type { ServerAccess } from "./server-access.ts";
import { createTransport, type Transport } from "./transport.ts";

export interface CredentialsOptions {
  readonly clock: Clock;
  /** Asked once after a 401; `undefined` keeps what there is. */
  readonly reload?: (() => Promise<ServerAccess | undefined>) | undefined;
}

const TOKEN_FILE_MS = 60_000;

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

  const use = (next: ServerAccess) => {
    access = next;
    // Open watches keep their sockets until they end; only the newest transport gets new requests.
    old.push(current);
    current = createTransport(next);
  };
  const readToken = async (file: string) => {
    readAt = clock.now().getTime();
    const token = (await readFile(file, "utf8")).trim();
    if (token !== access.token) use({ ...access, token });
  };
  const load = async () => {
    const next = await reload?.();
    if (next !== undefined) use(next);
    else if (access.tokenFile !== undefined) await readToken(access.tokenFile);
    return next !== undefined || access.tokenFile !== undefined;
  };

  return {
    async transport() {
      const due = access.tokenFile !== undefined && clock.now().getTime() - readAt >= TOKEN_FILE_MS;
      // A file that cannot be read for a moment is no reason to stop using a token that still works.
      if (due && access.tokenFile !== undefined) await readToken(access.tokenFile).catch(() => undefined);
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
