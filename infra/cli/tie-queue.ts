import { setTimeout } from "node:timers/promises";
import { Namespace } from "../../shared/api/core.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { KubeError } from "../../shared/function/errors.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { Server } from "../platform/kube/client.ts";
import type { ServerClient } from "../platform/kube/verbs.ts";
import type { Backend } from "../queue/backends/backend.ts";

interface TieOptions {
  readonly backend: Backend;
  readonly server: Server;
  readonly clock: Clock;
  readonly log: Log;
  /** The management cluster ends with this process, and its tie as well. */
  readonly isTemporary: boolean;
  /** False where time costs money: then an API server that does not answer is an error. Default true. */
  readonly waits?: boolean;
}

/** Disposing ends the renewals. */
interface QueueTie extends AsyncDisposable {
  /** Rejects once the Redis is not this process's own any more; never where processes do not share it. */
  readonly lost: Promise<never>;
}

/**
 * Ties the Redis of a queue to the management cluster, before anything is taken from it, and again when it was emptied.
 * Waits for the API server, since nothing can be done without it. Throws when the Redis belongs to another one, or to a
 * version of Capstan whose data do not fit.
 */
export async function tieQueue(options: TieOptions): Promise<QueueTie> {
  const { backend, server, clock, log, isTemporary } = options;
  if (!backend.capabilities.isShared) return untied();
  const uid = await readableUid(options);
  const { keepTied } = await import("../queue/backends/redis/server/keep-tied.ts");
  const tie = await backend.tie(uid === undefined ? undefined : { uid, server: server.url.origin }, { log });
  const kept = keepTied(tie, clock);
  return {
    lost: kept.lost,
    async [Symbol.asyncDispose]() {
      await kept[Symbol.asyncDispose]();
      if (isTemporary) await tie.untie().catch(() => undefined);
      await tie[Symbol.asyncDispose]();
    },
  };
}

function untied(): QueueTie {
  return { lost: new Promise<never>(() => undefined), [Symbol.asyncDispose]: async () => undefined };
}

async function readableUid({ server, log, waits }: TieOptions): Promise<string | undefined> {
  try {
    return await managementUid(server.as("relay"), { log, waits });
  } catch (error) {
    if (!(error instanceof KubeError && error.status === 403)) throw error;
    const message =
      "whether Redis belongs to this management cluster is not checked: Namespace kube-system may not be read; allow this account to get it";
    log.warn({ error: error.message }, message);
    return undefined;
  }
}

const RETRY_MS = 2 * SECOND;

interface UidOptions {
  readonly log: Log;
  /** False where time costs money: then an API server that does not answer is an error. Default true. */
  readonly waits?: boolean | undefined;
}

/**
 * Returns the uid of Namespace kube-system, which distinguishes a management cluster from others. Waits for the API
 * server, since nothing can be done without it. Throws KubeError 403 where it may not be read.
 */
export async function managementUid(
  client: Pick<ServerClient, "get">,
  { log, waits = true }: UidOptions,
): Promise<string | undefined> {
  for (;;) {
    try {
      return (await client.get(Namespace, { namespace: "", name: "kube-system" }))?.metadata.uid;
    } catch (error) {
      if (!waits || (error instanceof KubeError && error.status === 403)) throw error;
      log.warn(
        { error: String(error) },
        "the management API server does not say which cluster it is; retrying",
      );
      await setTimeout(RETRY_MS);
    }
  }
}
