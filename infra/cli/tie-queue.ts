import { KubeError } from "../../shared/function/errors.ts";
import type { Log } from "../../shared/runtime/ports.ts";
import type { Server } from "../kube/client.ts";
import type { RedisAddress } from "../redis/connection.ts";
import { managementUid } from "./management-uid.ts";

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
  const { redis, server, log, isTemporary } = options;
  const nothing = { [Symbol.asyncDispose]: async () => undefined };
  if (redis === undefined) return nothing;
  const uid = await readableUid(options);
  if (uid === undefined) return nothing;
  const { tieRedis } = await import("../redis/owner.ts");
  const untie = await tieRedis({ ...redis, log }, { uid, server: server.url.origin });
  return isTemporary ? { [Symbol.asyncDispose]: () => untie().catch(() => undefined) } : nothing;
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
