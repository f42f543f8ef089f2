import { KubeError } from "../../../shared/function/errors.ts";
import type { Log } from "../../../shared/runtime/ports.ts";
import type { Server } from "../../platform/kube/client.ts";
import type { Backend } from "../../queue/backends/backend.ts";
import { managementUid } from "../management-uid.ts";

/** Looks again whose data are shown. */
interface OwnData extends AsyncDisposable {
  /** Whether the data are the own ones, else those of another cluster. Rejects while the Redis is away. */
  readonly isOwnData: () => Promise<boolean>;
}

/**
 * Compares the owner of a Redis with the management cluster that knows persons and their rights. Throws when it is
 * another one, or when the account may not see which one this is.
 */
export async function lookForOwnData(backend: Backend, server: Server, log: Log): Promise<OwnData> {
  const uid = await requiredUid(server, log);
  await using starting = new AsyncDisposableStack();
  const look = starting.use(await backend.lookForOwner({ uid, server: server.url.origin }, { log }));
  const reason = await look.foreignness();
  if (reason !== undefined) {
    const next = "Name the Redis of this cluster with --queue, or that cluster with --kubeconfig";
    throw new Error(`${reason}. ${next}`);
  }
  const running = starting.move();
  return {
    isOwnData: async () => {
      const error = await look.foreignness();
      if (error !== undefined) log.error({ error }, "console: persons are refused");
      return error === undefined;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Returns the uid, which is never left out: the rights of one cluster could show the data of another. */
async function requiredUid(server: Server, log: Log): Promise<string> {
  try {
    const uid = await managementUid(server.as("console"), { log });
    if (uid !== undefined) return uid;
  } catch (error) {
    if (!(error instanceof KubeError && error.status === 403)) throw error;
    throw new Error(`${error.message}: ${GRANT}`);
  }
  throw new Error(`${server.url.origin} has no Namespace kube-system: ${GRANT}`);
}
const GRANT =
  "the console cannot see whether the queue belongs to this management cluster; allow its account to get Namespace kube-system";
