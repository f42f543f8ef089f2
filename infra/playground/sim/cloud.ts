import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import type { Clock, KubeClient, Log, Random } from "../../../shared/runtime/ports.ts";
import type { Pki } from "../../platform/pki/pki.ts";
import { x509 } from "../../platform/pki/x509.ts";
import { systemRandom } from "../../platform/random.ts";
import { SimInstance, SimServer } from "../api/sim-cloud.ts";
import { type Network, systemNetwork } from "../network.ts";
import { type CloudAddress, LOOPBACK_ADDRESS } from "./address.ts";
import { type Claim, type CloudObject, clusterKeyOf, type Management } from "./claims.ts";
import { type CloudView, createCloudView, instancesOf } from "./cloud-view.ts";
import { follow, keyOf } from "./follow.ts";
import { createInstanceRun } from "./instances.ts";
import { createSerialRuns } from "./serial-runs.ts";
import { runServer } from "./servers.ts";

/** A management cluster with SimServers and SimInstances; the cloud is an ordinary client of it. */
export interface ServedCluster {
  /** The name for logs; default `management`. Two with the same get numbers. */
  readonly name?: string | undefined;
  readonly server: { as(functionName: string): KubeClient };
}

export interface CloudOptions {
  readonly serves: readonly ServedCluster[];
  /** Only these namespaces; default all. */
  readonly namespaces?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Where the workload API servers are; default loopback. */
  readonly address?: CloudAddress | undefined;
  /** Folder where the objects of the workload API servers are kept; in memory only when absent. */
  readonly data?: string | undefined;
  /** The random numbers; default: those of this process. */
  readonly random?: Random | undefined;
  readonly network?: Network | undefined;
  /** The certificates; default: X.509 of this process. */
  readonly pki?: Pki | undefined;
  /** Time that a Node outlives its instance, ms; default 0. */
  readonly nodeLingersMs?: number | undefined;
}

export interface Cloud extends AsyncDisposable {
  /** Whether the objects of all management clusters are known. */
  isReady(): boolean;
}

/** Requests under way at the same time: enough to keep a server busy, few enough not to crowd out the functions. */
const CONCURRENT_SERVERS = 8;
const CONCURRENT_INSTANCES = 32;

/**
 * Starts the simulated cloud: every SimServer gets a virtual workload API server, every SimInstance boots and becomes a
 * Node there, of several management clusters at once. The cloud is the outside world: a server or an instance is known
 * by the identity in the spec of its object, and outlives an object that is let go. The objects
 * are enough to start again after a restart, but for those of the workload servers, which are in `data`. Disposing stops the
 * workload servers.
 */
export async function startCloud(options: CloudOptions): Promise<Cloud> {
  const { clock, log, random = systemRandom, network = systemNetwork, nodeLingersMs, data } = options;
  const { pki = x509, address = LOOPBACK_ADDRESS } = options;
  const stopping = new AbortController();
  // Once is normal: a server ends while its instances are looked at.
  const onError = (id: string, error: unknown, failures: number): void =>
    log[failures === 1 ? "debug" : "warn"](
      { object: id, error: String(error) },
      "simulated cloud: run failed; it is retried",
    );
  const view: CloudView = createCloudView(
    (id) => servers.wake(id),
    (id) => {
      noteApiServer(view, id);
      instances.wake(id);
    },
  );
  const instances = createSerialRuns({
    clock,
    onError,
    concurrency: CONCURRENT_INSTANCES,
    run: createInstanceRun({ clock, view, nodeLingersMs, onApiServer: (id) => servers.wake(id) }),
  });
  const onStart = (id: string): void => {
    for (const instance of instancesOf(view, id)) instances.wake(instance);
  };
  const serverOptions = { clock, log, random, network, pki, view, address, data, onStart };
  const servers = createSerialRuns({
    clock,
    onError,
    concurrency: CONCURRENT_SERVERS,
    run: (id) => runServer(serverOptions, id),
  });
  const wake = { server: servers.wake, instance: instances.wake };
  const managements = options.serves.map(managementOf);
  const { namespaces = [undefined] } = options;
  const unlisted = new Set(managements.flatMap(({ name }) => namespaces.map((each) => placeOf(name, each))));
  const following = managements.flatMap((management) =>
    namespaces.map((namespace) =>
      serve(management, namespace, {
        view,
        wake,
        onListed: () => unlisted.delete(placeOf(management.name, namespace)),
        clock,
        log,
        signal: stopping.signal,
      }),
    ),
  );
  return {
    isReady: () => unlisted.size === 0,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all(following);
      await Promise.all([servers[Symbol.asyncDispose](), instances[Symbol.asyncDispose]()]);
      await Promise.all([...view.running.values()].map((running) => running.stop()));
      view.running.clear();
    },
  };
}

/** Notes an API server: after a restart of this process the API server of an instance is back at once. */
function noteApiServer({ instances, apiServers }: CloudView, id: string): void {
  const thing = instances.things.get(id);
  if (thing === undefined || thing.isOver) return;
  const runs = [...thing.claims.values()].some(
    ({ object }) =>
      object.spec.controlPlane === true && object.status?.phase === "Running" && !isDeleting(object),
  );
  if (runs) apiServers.add(id);
}

interface Following {
  readonly view: CloudView;
  /** Called once everything is known. */
  readonly onListed: () => void;
  readonly wake: { readonly server: (id: string) => void; readonly instance: (id: string) => void };
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Gives each management cluster a name of its own: places are known by it. */
function managementOf(
  { name = "management", server }: ServedCluster,
  at: number,
  all: readonly ServedCluster[],
): Management {
  const isShared = all.some((other, index) => index !== at && (other.name ?? "management") === name);
  const own = isShared ? `${name} ${at + 1}` : name;
  return { name: own, client: server.as("sim-cloud"), clusters: new Map() };
}

function placeOf(name: string, namespace = ""): string {
  return `${name} ${namespace}`;
}

/** Follows the objects of one management cluster until the signal aborts: Clusters first, for they say what is paused. */
async function serve(
  management: Management,
  namespace: string | undefined,
  { view, wake, onListed, ...common }: Following,
): Promise<void> {
  const { client, clusters } = management;
  const { promise: listed, resolve: noteListed } = Promise.withResolvers<void>();
  common.signal.addEventListener("abort", () => noteListed());
  const clustersFollowed = follow({
    ...common,
    client,
    namespace,
    kind: Cluster,
    onChange(cluster, isGone) {
      const key = keyOf(cluster);
      const wasPaused = clusters.get(key)?.spec.paused === true;
      if (isGone) clusters.delete(key);
      else clusters.set(key, cluster);
      if (wasPaused === (clusters.get(key)?.spec.paused === true)) return;
      const concerns = ({ management: { name }, object }: Claim<CloudObject>) =>
        name === management.name && clusterKeyOf(object) === key;
      for (const { id, claims } of view.servers.things.values())
        if ([...claims.values()].some(concerns)) wake.server(id);
      for (const { id, claims } of view.instances.things.values())
        if ([...claims.values()].some(concerns)) wake.instance(id);
    },
    onListed: noteListed,
  });
  await listed;
  const serversFollowed = follow({
    ...common,
    client,
    namespace,
    kind: SimServer,
    onChange(object, isGone) {
      const isNew = view.servers.idAt(management, keyOf(object)) === undefined;
      view.servers.note(management, object, isGone);
      const id = view.servers.idAt(management, keyOf(object));
      // Instances that were there before may not know where they belong.
      if (isNew && id !== undefined) for (const instance of instancesOf(view, id)) wake.instance(instance);
    },
  });
  const instancesFollowed = follow({
    ...common,
    client,
    namespace,
    kind: SimInstance,
    onChange: (object, isGone) => view.instances.note(management, object, isGone),
    onListed,
  });
  await Promise.all([clustersFollowed, serversFollowed, instancesFollowed]);
}
