import { SimInstance, SimServer } from "../../shared/api/sim/sim-cloud.ts";
import type { Clock, KubeClient, Log, Random } from "../../shared/runtime/ports.ts";
import { type Network, systemNetwork } from "../network.ts";
import type { Pki } from "../pki/pki.ts";
import { x509 } from "../pki/x509.ts";
import { systemRandom } from "../random.ts";
import { createCloudView, rememberInstance } from "./cloud-view.ts";
import { follow } from "./follow.ts";
import { createInstanceRun } from "./instances.ts";
import { createSerialRuns } from "./serial-runs.ts";
import { runServer } from "./servers.ts";

export interface CloudOptions {
  /** Client of the management API server; the cloud is an ordinary client. */
  readonly server: { as(functionName: string): KubeClient };
  readonly clock: Clock;
  readonly log: Log;
  /** Default: those of this process. */
  readonly random?: Random | undefined;
  readonly network?: Network | undefined;
  /** Default: X.509 of this process. */
  readonly pki?: Pki | undefined;
  /** Time that a Node outlives its instance, ms; default 0. */
  readonly nodeLingersMs?: number | undefined;
}

/** Requests under way at the same time: enough to keep a server busy, few enough not to crowd out the functions. */
const CONCURRENT_SERVERS = 8;
const CONCURRENT_INSTANCES = 32;

/**
 * Starts the simulated cloud: every SimServer gets a virtual workload API server on loopback with a kubeconfig Secret,
 * every SimInstance boots and becomes a Node there. All state is in those objects; a second start takes up where the
 * first ended. Disposing stops the workload servers.
 */
export async function startCloud(options: CloudOptions): Promise<AsyncDisposable> {
  const { server, clock, log, random = systemRandom, network = systemNetwork, nodeLingersMs } = options;
  const { pki = x509 } = options;
  const client = server.as("sim-cloud");
  const view = createCloudView();
  const stopping = new AbortController();
  const onError = (key: string, error: unknown): void =>
    log.warn({ object: key, error: String(error) }, "simulated cloud: run failed; it is retried");

  const instances = createSerialRuns({
    clock,
    onError,
    concurrency: CONCURRENT_INSTANCES,
    run: createInstanceRun({ client, clock, view, nodeLingersMs, onApiServer: (key) => servers.wake(key) }),
  });
  const onStart = (key: string): void => {
    for (const instance of view.instancesOf.get(key) ?? []) instances.wake(instance);
  };
  const servers = createSerialRuns({
    clock,
    onError,
    concurrency: CONCURRENT_SERVERS,
    run: (key) => runServer({ client, clock, log, random, network, pki, view, onStart }, key),
  });

  const common = { client, clock, log, signal: stopping.signal };
  const following = [
    follow({
      ...common,
      kind: SimServer,
      onChange(key, object) {
        if (object === undefined) view.servers.delete(key);
        else view.servers.set(key, object);
        servers.wake(key);
      },
    }),
    follow({
      ...common,
      kind: SimInstance,
      onChange(key, object) {
        rememberInstance(view, key, object);
        instances.wake(key);
      },
    }),
  ];

  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all(following);
      await Promise.all([servers[Symbol.asyncDispose](), instances[Symbol.asyncDispose]()]);
      await Promise.all([...view.running.values()].map((running) => running.stop()));
      view.running.clear();
    },
  };
}
