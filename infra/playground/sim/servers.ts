import { Secret } from "../../../shared/api/core.ts";
import { apiVersionOf, objectKeyOf } from "../../../shared/api/kinds.ts";
import { sameJson } from "../../../shared/api/path.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import type { Clock, KubeClient, Log, Random } from "../../../shared/runtime/ports.ts";
import { describeSecret } from "../../platform/pki/describe-secret.ts";
import type { Credentials, Pki } from "../../platform/pki/pki.ts";
import { SimServer } from "../api/sim-cloud.ts";
import type { Network } from "../network.ts";
import type { CloudAddress } from "./address.ts";
import { type Claim, clusterKeyOf, isHeld, judge, placeOf, release, type Thing } from "./claims.ts";
import { type CloudView, hasApiServer, type RunningServer } from "./cloud-view.ts";
import { startWorkloadServer } from "./workload-server.ts";

export interface ServersOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly random: Random;
  readonly network: Network;
  readonly pki: Pki;
  readonly view: CloudView;
  readonly address: CloudAddress;
  /** Folder where the objects of the workload servers are kept; in memory only when absent. */
  readonly data?: string | undefined;
  /** Called when a workload server begins to answer: its instances can register. */
  readonly onStart: (id: string) => void;
}

/** No watch of the cloud shows Secrets: it looks for the authority, and then whether another one has its place. */
const AUTHORITY_POLL_MS = 500;
const RENEWAL_POLL_MS = 60_000;

/**
 * Starts or stops one workload server. It answers once the authority `<cluster>-ca` is there. One whose API servers are
 * Machines has an address at once, and answers from the first of them until the last; a server after that begins with
 * nothing. It ends when its last SimServer is deleted for good; when that is let go, it runs on.
 */
export async function runServer(options: ServersOptions, id: string): Promise<number | undefined> {
  const { view } = options;
  const thing = view.servers.things.get(id);
  if (thing === undefined) return undefined;
  const { wanting, leaving } = await judge(thing);
  const [claim] = wanting;
  if (thing.isOver || (claim !== undefined && hasLostAll(view, thing, claim))) await end(view, thing);
  await release(SimServer, leaving);
  if (thing.isOver) forget(view, thing);
  if (claim === undefined || thing.isOver) return undefined;

  const running = view.running.get(id) ?? (await start(options, thing, claim));
  const authority = await authorityOf(options, claim, running);
  if (authority !== undefined) await running.trust(authority);
  // One that runs keeps its certificate: while a Cluster is moved, the Secret may come later than the SimServer.
  const ready = (authority !== undefined || running.hasServed) && isReady(view, thing, claim);
  running.hasServed ||= ready;
  setAnswers(options, running, ready && claim.object.spec.unreachable !== true);
  const { host, port } = running;
  await report(wanting, { host, port, ready });
  if (claim.object.spec.corruptKubeconfig === true && !isHeld(claim)) await spoilKubeconfig(claim);
  return authority === undefined ? AUTHORITY_POLL_MS : RENEWAL_POLL_MS;
}

/** Its objects go with it. */
async function end(view: CloudView, { id, last }: Thing<SimServer>): Promise<void> {
  const running = view.running.get(id);
  if (running === undefined) return;
  view.running.delete(id);
  view.ports.set(placeOf(last), running.port);
  await running.end();
}

/** Objects that still stand for it want another server of the same identity. */
function forget({ servers }: CloudView, thing: Thing<SimServer>): void {
  if (thing.claims.size === 0) servers.things.delete(thing.id);
  if ([...thing.claims.values()].some(({ object }) => !isDeleting(object))) thing.isOver = false;
}

/** The fault of a control plane: its kubeconfig holds no YAML. A Secret of a user is left alone. */
async function spoilKubeconfig({ management: { client }, object }: Claim<SimServer>): Promise<void> {
  const { metadata, spec } = object;
  const key = { namespace: metadata.namespace ?? "", name: `${spec.clusterName}-kubeconfig` };
  const secret = await client.get(Secret, key);
  if (secret?.type !== "cluster.x-k8s.io/secret") return;
  await client.jsonPatch(Secret, key, [
    { op: "test", path: "/metadata/uid", value: secret.metadata.uid },
    { op: "add", path: "/data/value", value: btoa("spoilt: [") },
  ]);
}

/** Returns the certificate and key of the Cluster's authority; undefined without them, or while they do not fit. */
async function authorityOf(
  { log, pki }: ServersOptions,
  { management: { client }, object }: Claim<SimServer>,
  running: RunningServer,
): Promise<Credentials | undefined> {
  const { namespace = "" } = object.metadata;
  const name = `${object.spec.clusterName}-ca`;
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

/** The last of its API servers is gone, and their state with them. */
function hasLostAll(view: CloudView, thing: Thing<SimServer>, claim: Claim<SimServer>): boolean {
  return view.running.get(thing.id)?.hasServed === true && !isReady(view, thing, claim);
}

function isReady(view: CloudView, { id }: Thing<SimServer>, { object }: Claim<SimServer>): boolean {
  return object.spec.onMachines !== true || hasApiServer(view, id);
}

function setAnswers({ log, onStart }: ServersOptions, running: RunningServer, answers: boolean): void {
  if (running.answers === answers) return;
  running.setAnswers(answers);
  const { id, cluster, host, port } = running;
  log.info(
    { cluster, host, port },
    answers ? "workload API server answers" : "workload API server is silent",
  );
  if (answers) onStart(id);
}

async function start(
  { clock, random, network, pki, view, address, data }: ServersOptions,
  { id }: Thing<SimServer>,
  claim: Claim<SimServer>,
): Promise<RunningServer> {
  const { clusterName } = claim.object.spec;
  const port = wantedPort(claim, address, view);
  const server = await startWorkloadServer({
    id,
    clusterName,
    port,
    clock,
    random,
    network,
    pki,
    address,
    data,
  });
  const running = Object.assign(server, { id, cluster: clusterKeyOf(claim.object), hasServed: false });
  view.running.set(id, running);
  return running;
}

/** The port that clients know: a status may be lost in a move, the endpoint of the Cluster is not. */
function wantedPort(
  claim: Claim<SimServer>,
  { announced }: CloudAddress,
  view: CloudView,
): number | undefined {
  const { management, object } = claim;
  const { host, port } = management.clusters.get(clusterKeyOf(object))?.spec.controlPlaneEndpoint ?? {};
  const published = host === announced ? port : undefined;
  return object.status?.port ?? object.spec.port ?? published ?? view.ports.get(placeOf(claim));
}

/** Says so in every object that stands for the server, and may be written. */
async function report(
  claims: readonly Claim<SimServer>[],
  status: NonNullable<SimServer["status"]>,
): Promise<void> {
  const due = claims.filter((claim) => !isHeld(claim) && !isDeleting(claim.object));
  await Promise.all(due.map(({ management, object }) => writeStatus(management.client, object, status)));
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
