import { Secret } from "../../shared/api/core.ts";
import { CLUSTER_NAME_LABEL } from "../../shared/api/indexes.ts";
import { apiVersionOf, type ObjectKey, objectKeyOf } from "../../shared/api/kinds.ts";
import { sameJson } from "../../shared/api/path.ts";
import { SimServer } from "../../shared/api/sim/sim-cloud.ts";
import { controllerReference, isOwnedBy } from "../../shared/rules/metadata/owner-references.ts";
import type { Clock, KubeClient, Log, Random } from "../../shared/runtime/ports.ts";
import type { Network } from "../network.ts";
import { type CloudView, hasApiServer, type RunningServer } from "./cloud-view.ts";
import { startWorkloadServer } from "./workload-server.ts";

export interface ServersOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: Random;
  readonly network: Network;
  readonly view: CloudView;
  /** Called when the workload server of a SimServer begins to answer: its instances can register. */
  readonly onStart: (key: string) => void;
}

/**
 * Starts or stops the workload server of one SimServer. One whose API servers are Machines has an address at once, and
 * answers from the first of them until the last; a server after that begins with nothing. Source: CL-9
 */
export async function runServer(options: ServersOptions, key: string): Promise<undefined> {
  const { view } = options;
  const desired = view.servers.get(key);
  const stale = view.running.get(key);
  if (stale !== undefined && isOver(stale, desired, view)) {
    view.running.delete(key);
    view.ports.set(key, stale.port);
    await stale.stop();
  }
  if (desired === undefined || isGoing(desired)) return;
  const secretKey = secretKeyOf(desired);
  const secret = await options.client.get(Secret, secretKey);
  const running = view.running.get(key) ?? (await start(options, key, desired, secret));
  const ready = isReady(desired, view);
  running.hasServed ||= ready;
  if (ready) await writeKubeconfig(options, desired, secret, running.kubeconfig);
  await setAnswers(options, running, ready && desired.spec.unreachable !== true);
  await writeStatus(options.client, desired, {
    host: running.host,
    port: running.port,
    ready,
    kubeconfigSecretName: ready ? secretKey.name : undefined,
  });
}

/** Another SimServer has the name, or the last of its API servers is gone: their state goes with them. */
function isOver(running: RunningServer, desired: SimServer | undefined, view: CloudView): boolean {
  if (desired === undefined || running.uid !== desired.metadata.uid || isGoing(desired)) return true;
  return running.hasServed && !isReady(desired, view);
}

function isReady({ metadata, spec }: SimServer, view: CloudView): boolean {
  return spec.onMachines !== true || hasApiServer(view, `${metadata.namespace ?? ""}/${metadata.name}`);
}

async function setAnswers(
  { log, onStart }: ServersOptions,
  running: RunningServer,
  answers: boolean,
): Promise<void> {
  if (running.answers === answers) return;
  await running.setAnswers(answers);
  const { key: cluster, host, port } = running;
  log.info(
    { cluster, host, port },
    answers ? "workload API server answers" : "workload API server is silent",
  );
  if (answers) onStart(cluster);
}

function isGoing({ metadata }: SimServer): boolean {
  return metadata.deletionTimestamp !== undefined;
}

async function start(
  { clock, random, network, view }: ServersOptions,
  key: string,
  desired: SimServer,
  secret: Secret | undefined,
): Promise<RunningServer> {
  const { clusterName } = desired.spec;
  const kubeconfig = secret === undefined ? undefined : kubeconfigOf(secret);
  const server = await startWorkloadServer({
    clusterName,
    port: desired.status?.port ?? desired.spec.port ?? view.ports.get(key),
    kubeconfig,
    clock,
    random,
    network,
  });
  const running = Object.assign(server, { key, uid: desired.metadata.uid ?? "", hasServed: false });
  view.running.set(key, running);
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
