import { Secret } from "../../shared/api/core.ts";
import { CLUSTER_NAME_LABEL } from "../../shared/api/indexes.ts";
import { apiVersionOf, type ObjectKey, objectKeyOf } from "../../shared/api/kinds.ts";
import { sameJson } from "../../shared/api/path.ts";
import { SimServer } from "../../shared/api/sim/sim-cloud.ts";
import { controllerReference, isOwnedBy } from "../../shared/rules/metadata/owner-references.ts";
import type { Clock, KubeClient, Log, Random } from "../../shared/runtime/ports.ts";
import type { Network } from "../network.ts";
import type { CloudView, RunningServer } from "./cloud-view.ts";
import { startWorkloadServer } from "./workload-server.ts";

export interface ServersOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: Random;
  readonly network: Network;
  readonly view: CloudView;
  /** Called when the workload server of a SimServer has started: its instances can register. */
  readonly onStart: (key: string) => void;
}

/** Starts or stops the workload server of one SimServer. */
export async function runServer(options: ServersOptions, key: string): Promise<undefined> {
  const { view } = options;
  const desired = view.servers.get(key);
  const stale = view.running.get(key);
  if (stale !== undefined && (stale.uid !== desired?.metadata.uid || isGoing(desired))) {
    view.running.delete(key);
    view.ports.set(key, stale.port);
    await stale.stop();
  }
  if (desired === undefined || isGoing(desired)) return;
  const secretKey = secretKeyOf(desired);
  const secret = await options.client.get(Secret, secretKey);
  const running = view.running.get(key) ?? (await start(options, key, desired, secret));
  await writeKubeconfig(options, desired, secret, running.kubeconfig);
  await writeStatus(options.client, desired, {
    host: running.host,
    port: running.port,
    ready: true,
    kubeconfigSecretName: secretKey.name,
  });
}

function isGoing({ metadata }: SimServer): boolean {
  return metadata.deletionTimestamp !== undefined;
}

async function start(
  { clock, log, random, network, view, onStart }: ServersOptions,
  key: string,
  desired: SimServer,
  secret: Secret | undefined,
): Promise<RunningServer> {
  const { clusterName } = desired.spec;
  const kubeconfig = secret === undefined ? undefined : kubeconfigOf(secret);
  const server = await startWorkloadServer({
    clusterName,
    port: desired.status?.port ?? view.ports.get(key),
    kubeconfig,
    clock,
    random,
    network,
  });
  const running = { ...server, key, uid: desired.metadata.uid ?? "" };
  view.running.set(key, running);
  log.info({ cluster: key, host: server.host, port: server.port }, "workload API server started");
  onStart(key);
  return running;
}

function secretKeyOf({ metadata, spec }: SimServer): ObjectKey {
  return { namespace: metadata.namespace ?? "", name: `${spec.clusterName}-kubeconfig` };
}

function kubeconfigOf(secret: Secret): string {
  return Buffer.from(secret.data?.["value"] ?? "", "base64").toString("utf8");
}

const SECRET_TYPE = "cluster.x-k8s.io/secret";

/** Creates the Secret, or updates our own; a user's (any other type) stays as it is. */
async function writeKubeconfig(
  { client, log }: ServersOptions,
  desired: SimServer,
  secret: Secret | undefined,
  kubeconfig: string,
): Promise<void> {
  const value = Buffer.from(kubeconfig).toString("base64");
  const key = secretKeyOf(desired);
  if (secret === undefined) {
    const labels = { [CLUSTER_NAME_LABEL]: desired.spec.clusterName };
    const ownerReferences = [controllerReference(SimServer, desired)];
    const metadata = { ...key, labels, ownerReferences };
    const identity = { apiVersion: apiVersionOf(Secret), kind: Secret.kind };
    const created: Secret = { ...identity, metadata, type: SECRET_TYPE, data: { value } };
    await client.create(Secret, created);
    return;
  }
  if (secret.data?.["value"] === value) return;
  if (secret.type !== SECRET_TYPE) {
    log.warn(
      { secret: `${key.namespace}/${key.name}` },
      "kubeconfig Secret is the user's own; left as it is",
    );
    return;
  }
  const { uid } = secret.metadata;
  await client.jsonPatch(Secret, key, [
    { op: "test", path: "/metadata/uid", value: uid },
    ...(secret.data === undefined ? [{ op: "add", path: "/data", value: {} } as const] : []),
    { op: "add", path: "/data/value", value },
    // A Secret of an earlier SimServer of that name goes with this one from now on.
    ...(isOwnedBy(secret, desired.metadata.uid)
      ? []
      : [
          {
            op: "add",
            path: "/metadata/ownerReferences",
            value: [controllerReference(SimServer, desired)],
          } as const,
        ]),
  ]);
}

async function writeStatus(
  client: KubeClient,
  desired: SimServer,
  status: NonNullable<SimServer["status"]>,
): Promise<void> {
  if (sameJson(desired.status, status)) return;
  const key = objectKeyOf(desired);
  const identity = { apiVersion: apiVersionOf(SimServer), kind: SimServer.kind };
  const metadata = { ...key, uid: desired.metadata.uid };
  await client.apply(SimServer, key, { ...identity, metadata, status }, "status");
}
