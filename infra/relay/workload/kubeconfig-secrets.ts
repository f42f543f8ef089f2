import { Secret } from "../../../shared/api/core.ts";
import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import type { Kind, KubeObject, ObjectKey } from "../../../shared/api/kinds.ts";
import type { ListOptions } from "../../../shared/function/reads.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import type { LoopStatus } from "../../../shared/runtime/read/loop-status.ts";
import { isAtLeast } from "../../../shared/runtime/resource-version.ts";
import type { Server } from "../../platform/kube/client.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import { createTurns, type Turns } from "../turns.ts";
import { startWatchLoop, type WatchLoop } from "../watch/watch-loop.ts";
import { kubeconfigSecretOf } from "./workload-access.ts";

/**
 * Called with the kubeconfig Secret of one Cluster: first its current state, then every change. Must not wait for a
 * loop. `why` says why there is none, unless it does not exist.
 */
export type SecretListener = (secret: Secret | undefined, why?: string) => void;

/** The kubeconfig Secrets of followed Clusters. Keeps only `data.value` (S-13). */
export interface KubeconfigSecrets extends AsyncDisposable {
  /** Follows the Secret of a Cluster. The returned function ends it. */
  follow(cluster: ObjectKey, listener: SecretListener): () => Promise<void>;
  /** Reads the Secret by name, unless a watch shows it anyway: one by label never shows a Secret without the label. */
  ask(cluster: ObjectKey): Promise<void>;
  loops(): readonly LoopStatus[];
  /** Lists the Secrets again, because the server was restored or replaced (KR-12). */
  relist(): void;
}

export interface KubeconfigSecretsOptions {
  readonly server: Server;
  readonly clock: Clock;
  readonly log: Log;
  readonly random?: (() => number) | undefined;
}

/** Clusters of one namespace that get their own watch; the others share a watch by label. */
const WATCHES_BY_NAME = 8;

interface Group {
  readonly loop: WatchLoop;
  readonly byName: boolean;
  /** The listeners by Secret name. */
  readonly listeners: Map<string, SecretListener>;
  readonly known: Map<string, Secret>;
  listed: boolean;
}

/**
 * Watches the Secrets within their namespaces: by name, or by label where many Clusters share a namespace. Never lists
 * all Secrets (S-02).
 */
export function createWatchedSecrets(options: KubeconfigSecretsOptions): KubeconfigSecrets {
  const client = options.server.as("relay");
  const lists = createTurns(4);
  const groups = new Map<string, Group>();
  const followed = new Map<string, Group>();

  const open = (id: string, selector: ListOptions) => {
    const group = startGroup({ ...options, client, lists, name: id, selector });
    groups.set(id, group);
    return group;
  };
  const groupFor = (cluster: ObjectKey): [string, Group] => {
    const { namespace, name } = kubeconfigSecretOf(cluster);
    const own = [...groups.keys()].filter((each) => each.startsWith(`secret ${namespace}/`)).length;
    const byName = own < WATCHES_BY_NAME;
    const id = byName ? `secret ${namespace}/${name}` : `secrets ${namespace}`;
    const selector = byName
      ? { fieldSelector: `metadata.name=${name}` }
      : { labelSelector: CLUSTER_NAME_LABEL };
    return [id, groups.get(id) ?? open(id, { namespace, ...selector })];
  };

  return {
    follow(cluster, listener) {
      const secretName = kubeconfigSecretOf(cluster).name;
      const [id, group] = groupFor(cluster);
      group.listeners.set(secretName, listener);
      followed.set(textOf(cluster), group);
      // A group that has listed already has not kept this Secret.
      if (group.listed) void ask(cluster).catch(() => listener(undefined));
      return async () => {
        group.listeners.delete(secretName);
        group.known.delete(secretName);
        followed.delete(textOf(cluster));
        if (group.listeners.size > 0) return;
        groups.delete(id);
        await group.loop[Symbol.asyncDispose]();
      };
    },
    ask,
    loops: () => [...groups.values()].map(({ loop }) => loop.status()),
    relist() {
      for (const { loop } of groups.values()) loop.relist();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...groups.values()].map(({ loop }) => loop[Symbol.asyncDispose]()));
    },
  };

  async function ask(cluster: ObjectKey): Promise<void> {
    const group = followed.get(textOf(cluster));
    if (group === undefined || group.byName) return;
    const key = kubeconfigSecretOf(cluster);
    const secret = await client.get(Secret, key);
    const known = group.known.get(key.name)?.metadata.resourceVersion;
    // The watch may have shown a newer Secret meanwhile.
    if (known !== undefined && isAtLeast(known, secret?.metadata.resourceVersion ?? "0")) return;
    group.listeners.get(key.name)?.(secret === undefined ? undefined : reduceSecret(secret));
  }
}

interface GroupOptions extends KubeconfigSecretsOptions {
  readonly client: ServerClient;
  readonly lists: Turns;
  readonly name: string;
  readonly selector: ListOptions;
}

/** Starts one watch and notifies the followers of its Secrets. */
function startGroup(options: GroupOptions): Group {
  const listeners = new Map<string, SecretListener>();
  const known = new Map<string, Secret>();
  const notify = (secret: Secret | undefined, secretName: string) => {
    if (secret === undefined) known.delete(secretName);
    else if (listeners.has(secretName)) known.set(secretName, secret);
    listeners.get(secretName)?.(secret);
  };
  const loop = startWatchLoop({
    ...options,
    kind: Secret as Kind,
    consumer: {
      reduce: reduceSecret,
      async listed(items) {
        group.listed = true;
        known.clear();
        const found = new Map(items.map((item) => [item.metadata.name, item as Secret]));
        for (const secretName of listeners.keys()) notify(found.get(secretName), secretName);
      },
      async changed(objects) {
        for (const object of objects) notify(reduceSecret(object), object.metadata.name);
      },
      async deleted({ metadata }) {
        notify(undefined, metadata.name);
      },
    },
  });
  const group: Group = {
    loop,
    byName: options.selector.fieldSelector !== undefined,
    listeners,
    known,
    listed: false,
  };
  return group;
}

/** Keeps of a Secret only what makes a kubeconfig. */
export function reduceSecret(object: KubeObject): Secret {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const value = (object as Secret).data?.["value"];
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace, uid, resourceVersion },
    ...(value === undefined ? {} : { data: { value } }),
  };
}

function textOf({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}
