import { Secret } from "../../../shared/api/core.ts";
import { type ObjectKey, workloadCluster } from "../../../shared/api/kinds.ts";
import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { createTurns } from "../turns.ts";
import {
  type KubeconfigSecrets,
  type KubeconfigSecretsOptions,
  reduceSecret,
  type SecretListener,
} from "./kubeconfig-secrets.ts";
import { kubeconfigSecretOf } from "./workload-access.ts";

/** The time after which a kubeconfig that nothing has refused is read again (S-13). */
const PERIOD_MS = 5 * MINUTE;
/** A Secret that is not there yet, or could not be read: 1 s, doubled up to this. */
const MAX_PAUSE_MS = 30 * SECOND;
const READS_AT_ONCE = 8;

interface Followed {
  readonly cluster: ObjectKey;
  readonly listener: SecretListener;
  reading?: Promise<void> | undefined;
  cancel: () => void;
  /** It has been read, whatever was found. */
  isKnown: boolean;
  /** Reads in a row that found nothing. */
  misses: number;
}

/**
 * Reads the kubeconfig Secrets of followed Clusters by name: at once, when asked, and every five minutes; soon again
 * while there is none. The account needs `get` only, and only in the namespaces of its Clusters. A Secret that may not be
 * read any longer stays as it was.
 */
export function createReadSecrets(options: KubeconfigSecretsOptions): KubeconfigSecrets {
  const { server, clock, log, random = Math.random } = options;
  const client = server.as("relay");
  const turns = createTurns(READS_AT_ONCE);
  const followed = new Map<string, Followed>();

  const isFollowed = (one: Followed) => followed.get(workloadCluster(one.cluster)) === one;
  const look = async (one: Followed): Promise<void> => {
    const key = kubeconfigSecretOf(one.cluster);
    one.cancel();
    try {
      const secret = await turns.take(() => client.get(Secret, key));
      if (!isFollowed(one)) return;
      one.isKnown = true;
      one.misses = secret === undefined ? one.misses + 1 : 0;
      one.listener(secret && reduceSecret(secret));
    } catch (error) {
      if (!isFollowed(one)) return;
      one.misses += 1;
      log.warn({ cluster: workloadCluster(one.cluster), error: String(error) }, "a kubeconfig was not read");
      if (!one.isKnown) one.listener(undefined, unreadable(key, error));
    }
    const pauseMs = one.misses === 0 ? PERIOD_MS : Math.min(MAX_PAUSE_MS, SECOND * 2 ** (one.misses - 1));
    // Clusters that were listed together are not read together for ever.
    one.cancel = clock.after(pauseMs * (1 - random() / 5), () => void read(one));
  };
  const read = (one: Followed): Promise<void> => {
    one.reading ??= look(one).finally(() => {
      one.reading = undefined;
    });
    return one.reading;
  };

  return {
    follow(cluster, listener) {
      const one: Followed = { cluster, listener, cancel: () => undefined, isKnown: false, misses: 0 };
      followed.set(workloadCluster(cluster), one);
      void read(one);
      return async () => {
        one.cancel();
        if (isFollowed(one)) followed.delete(workloadCluster(cluster));
      };
    },
    async ask(cluster) {
      const one = followed.get(workloadCluster(cluster));
      if (one !== undefined) await read(one);
    },
    loops: () => [],
    relist() {
      for (const one of followed.values()) void read(one);
    },
    async [Symbol.asyncDispose]() {
      for (const one of followed.values()) one.cancel();
      followed.clear();
    },
  };
}

/** A server that refuses says which right is missing, and errors about rights say how to grant it. */
function unreadable({ namespace, name }: ObjectKey, error: unknown): string {
  const why = error instanceof KubeError ? error.message : String(error);
  return `kubeconfig Secret ${namespace}/${name} cannot be read: ${why}`;
}
