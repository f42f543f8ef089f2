import { setTimeout } from "node:timers/promises";
import { Namespace } from "../../shared/api/core.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { KubeError } from "../../shared/function/errors.ts";
import type { Log } from "../../shared/runtime/ports.ts";
import type { ServerClient } from "../platform/kube/verbs.ts";

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
