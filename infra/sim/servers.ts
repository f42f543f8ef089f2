import { Secret } from "../../shared/api/core.ts";
import { apiVersionOf, objectKeyOf } from "../../shared/api/kinds.ts";
import { sameJson } from "../../shared/api/path.ts";
import { SimServer } from "../../shared/api/sim/sim-cloud.ts";
import type { Clock, KubeClient, Log, Random } from "../../shared/runtime/ports.ts";
import type { Network } from "../network.ts";
import { describeSecret } from "../pki/describe-secret.ts";
import type { Credentials, Pki } from "../pki/pki.ts";
import { type CloudView, hasApiServer, type RunningServer } from "./cloud-view.ts";
import { startWorkloadServer } from "./workload-server.ts";

export interface ServersOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: Random;
  readonly network: Network;
  readonly pki: Pki;
  readonly view: CloudView;
  /** Called when the workload server of a SimServer begins to answer: its instances can register. */
  readonly onStart: (key: string) => void;
}

/** No watch of the cloud shows Secrets: it looks for the authority, and then whether another one has its place. */
const AUTHORITY_POLL_MS = 500;
const RENEWAL_POLL_MS = 60_000;

/**
 * Starts or stops the workload server of one SimServer. It answers once the authority `<cluster>-ca` is there. One
 * whose API servers are Machines has an address at once, and answers from the first of them until the last; a server
 * after that begins with nothing. Source: PC-4.2
 */
export async function runServer(options: ServersOptions, key: string): Promise<number | undefined> {
  const { view } = options;
  const desired = view.servers.get(key);
  const stale = view.running.get(key);
  if (stale !== undefined && isOver(stale, desired, view)) {
    view.running.delete(key);
    view.ports.set(key, stale.port);
    await stale.stop();
  }
  if (desired === undefined || isGoing(desired)) return undefined;
  const running = view.running.get(key) ?? (await start(options, key, desired));
  const authority = await authorityOf(options, desired, running);
  if (authority !== undefined) await running.trust(authority);
  const ready = authority !== undefined && isReady(desired, view);
  running.hasServed ||= ready;
  setAnswers(options, running, ready && desired.spec.unreachable !== true);
  await writeStatus(options.client, desired, {
    host: running.host,
    port: running.port,
    ready,
  });
  if (desired.spec.corruptKubeconfig === true) await spoilKubeconfig(options, desired);
  return authority === undefined ? AUTHORITY_POLL_MS : RENEWAL_POLL_MS;
}

/** The fault of a control plane: its kubeconfig holds no YAML. A Secret of a user is left alone. */
async function spoilKubeconfig({ client }: ServersOptions, { metadata, spec }: SimServer): Promise<void> {
  const key = { namespace: metadata.namespace ?? "", name: `${spec.clusterName}-kubeconfig` };
  const secret = await client.get(Secret, key);
  if (secret?.type !== "cluster.x-k8s.io/secret") return;
  await client.jsonPatch(Secret, key, [
    { op: "test", path: "/metadata/uid", value: secret.metadata.uid },
    { op: "add", path: "/data/value", value: btoa("spoilt: [") },
  ]);
}

/** Certificate and key of the Cluster's authority; undefined without them, or while they do not fit. */
async function authorityOf(
  { client, log, pki }: ServersOptions,
  { metadata: { namespace = "" }, spec: { clusterName } }: SimServer,
  running: RunningServer,
): Promise<Credentials | undefined> {
  const name = `${clusterName}-ca`;
  const secret = await client.get(Secret, { namespace, name });
  if (secret === undefined) return undefined;
  const problem = describeSecret(secret, pki).pair;
  if (problem?.certificate === undefined || problem.privateKey !== "fits") {
    const { resourceVersion } = secret.metadata;
    // Not at every look: it may stay so for days.
    if (running.refusedAuthority !== resourceVersion)
      log.warn({ authority: `${namespace}/${name}` }, "no server certificate: the authority cannot sign");
    running.refusedAuthority = resourceVersion;
    return undefined;
  }
  const { "tls.crt": cert = "", "tls.key": key = "" } = secret.data ?? {};
  return { cert: atob(cert), key: atob(key) };
}

/** Another SimServer has the name, or the last of its API servers is gone: their state goes with them. */
function isOver(running: RunningServer, desired: SimServer | undefined, view: CloudView): boolean {
  if (desired === undefined || running.uid !== desired.metadata.uid || isGoing(desired)) return true;
  return running.hasServed && !isReady(desired, view);
}

function isReady({ metadata, spec }: SimServer, view: CloudView): boolean {
  return spec.onMachines !== true || hasApiServer(view, `${metadata.namespace ?? ""}/${metadata.name}`);
}

function setAnswers({ log, onStart }: ServersOptions, running: RunningServer, answers: boolean): void {
  if (running.answers === answers) return;
  running.setAnswers(answers);
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
  { clock, random, network, pki, view }: ServersOptions,
  key: string,
  desired: SimServer,
): Promise<RunningServer> {
  const { clusterName } = desired.spec;
  const server = await startWorkloadServer({
    clusterName,
    port: desired.status?.port ?? desired.spec.port ?? view.ports.get(key),
    clock,
    random,
    network,
    pki,
  });
  const running = Object.assign(server, { key, uid: desired.metadata.uid ?? "", hasServed: false });
  view.running.set(key, running);
  return running;
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
