import { setTimeout } from "node:timers/promises";
import { Namespace } from "../../shared/api/core.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { KubeError } from "../../shared/function/errors.ts";
import type { Log } from "../../shared/runtime/ports.ts";
import type { Server } from "../kube/client.ts";
import type { RedisAddress } from "../redis/connection.ts";

const RETRY_MS = 2 * SECOND;

interface TieOptions {
  /** Absent: the queue is in memory. */
  readonly redis: RedisAddress | undefined;
  readonly server: Server;
  readonly log: Log;
  /** The management cluster ends with this process, and its tie as well. */
  readonly isTemporary: boolean;
  /** False where time costs money: then an API server that does not answer is an error. Default true. */
  readonly waits?: boolean;
}

/**
 * Ties the Redis of a queue to the management cluster, before anything is taken from it. Waits for the API server, since
 * nothing can be done without it. Throws when the Redis belongs to another one.
 */
export async function tieQueue(options: TieOptions): Promise<AsyncDisposable> {
  const { redis, server, log, isTemporary, waits = true } = options;
  const nothing = { [Symbol.asyncDispose]: async () => undefined };
  if (redis === undefined) return nothing;
  const uid = await uidOf(server, log, waits);
  if (uid === undefined) return nothing;
  const { tieRedis } = await import("../redis/owner.ts");
  const untie = await tieRedis({ ...redis, log }, { uid, server: server.url.origin });
  return isTemporary ? { [Symbol.asyncDispose]: () => untie().catch(() => undefined) } : nothing;
}

async function uidOf(server: Server, log: Log, waits: boolean): Promise<string | undefined> {
  const client = server.as("relay");
  for (;;) {
    try {
      return (await client.get(Namespace, { namespace: "", name: "kube-system" }))?.metadata.uid;
    } catch (error) {
      if (error instanceof KubeError && error.status === 403) {
        const message =
          "whether Redis belongs to this management cluster is not checked: Namespace kube-system may not be read; allow this account to get it";
        log.warn({ error: error.message }, message);
        return undefined;
      }
      if (!waits) throw error;
      log.warn(
        { error: String(error) },
        "the management API server does not say which cluster it is; retrying",
      );
      await setTimeout(RETRY_MS);
    }
  }
}
