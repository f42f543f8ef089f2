import { apiVersionOf, objectKeyOf } from "../../shared/api/kinds.ts";
import { sameJson } from "../../shared/api/path.ts";
import { SimInstance } from "../../shared/api/sim/sim-cloud.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import type { Clock, KubeClient } from "../../shared/runtime/ports.ts";
import { type CloudView, serverKeyOf } from "./cloud-view.ts";
import { addressesOf } from "./node.ts";
import { type Registered, removeNode, upToDateNode } from "./registered-node.ts";

export interface InstancesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly view: CloudView;
  /** Time that a Node outlives its instance, ms; default 0. */
  readonly nodeLingersMs?: number | undefined;
  /** Called with the key of a SimServer when the API server of an instance starts or is gone. */
  readonly onApiServer: (serverKey: string) => void;
}

/**
 * Runs one instance by level: pending until its boot delay is over, then provisioned; on the control plane its API
 * server starts; then it is registered as a Node and Running, then its Node is Ready. When the instance is gone its
 * Node and the Pods there go too, at once or after a while as with a cloud controller manager, and its API server.
 * Delays count from the creation of the SimInstance (in whole seconds, so up to 1 s less), so that after a restart of
 * this process every instance is back at once. Returns the delay until the next stage, ms.
 *
 * Differs: the Node of the first control plane instance is registered after its API server has started, for it
 * registers there.
 */
export function createInstanceRun(options: InstancesOptions): (key: string) => Promise<number | undefined> {
  const nodes = new Map<string, Registered>();
  const { client, clock, view, nodeLingersMs = 0 } = options;

  return async (key) => {
    const desired = view.instances.get(key);
    const alive = desired?.metadata.deletionTimestamp === undefined ? desired : undefined;
    const known = nodes.get(key);
    if (known !== undefined && known.instanceUid !== alive?.metadata.uid) {
      const lingersMs = alive === undefined ? lingersFor(known, nodeLingersMs, clock.now()) : 0;
      if (lingersMs > 0) return lingersMs;
      await loseNode(key);
    }
    if (alive === undefined) endApiServer(key);
    return alive === undefined ? undefined : live(key, alive);
  };

  /** Takes an instance to its present stage; returns the delay until the next, ms. */
  async function live(key: string, alive: SimInstance): Promise<number | undefined> {
    const due = stagesOf(alive, clock.now());
    if (due.bootsInMs > 0) return due.bootsInMs;
    if (due.servesInMs !== undefined && due.servesInMs <= 0) startApiServer(key, alive);
    const server = view.running.get(serverKeyOf(alive));
    // It registers with a server that answers, whose start runs the instance again.
    if (due.registersInMs > 0 || server?.answers !== true) {
      if (alive.spec.poolName === undefined) await writeStatus(client, alive, "Provisioned");
      return firstOf(due.servesInMs, due.registersInMs);
    }
    const stage = { instance: alive, ready: due.readyInMs <= 0, now: clock.now() };
    if (alive.spec.faults?.node === "Gone") await loseNode(key);
    else nodes.set(key, await upToDateNode(nodes.get(key), server, stage));
    await writeStatus(client, alive, "Running");
    return stage.ready ? firstOf(due.servesInMs) : due.readyInMs;
  }

  async function loseNode(key: string): Promise<void> {
    const known = nodes.get(key);
    if (known !== undefined) await removeNode(view, known, key);
    nodes.delete(key);
  }

  function startApiServer(key: string, instance: SimInstance): void {
    const serverKey = serverKeyOf(instance);
    view.apiServers.set(key, serverKey);
    if (view.running.get(serverKey)?.answers !== true) options.onApiServer(serverKey);
  }

  function endApiServer(key: string): void {
    const serverKey = view.apiServers.get(key);
    if (serverKey === undefined) return;
    view.apiServers.delete(key);
    options.onApiServer(serverKey);
  }
}

/** Returns the time that a Node without instance still stays, counted from when that was seen. */
function lingersFor(known: Registered, nodeLingersMs: number, now: Date): number {
  known.leftAt ??= now.getTime();
  return known.leftAt + nodeLingersMs - now.getTime();
}

/** How long until each stage, ms; 0 or less: reached. `servesInMs` only on the control plane. */
function stagesOf({ metadata, spec, status }: SimInstance, now: Date) {
  const ageMs = now.getTime() - Date.parse(metadata.creationTimestamp ?? "");
  const bootMs = spec.bootDelaySeconds * SECOND;
  const registersMs = bootMs + (spec.nodeDelaySeconds ?? 0) * SECOND;
  const servesMs = bootMs + (spec.apiServerDelaySeconds ?? 0) * SECOND;
  const hasRun = status?.phase === "Running";
  return {
    bootsInMs: hasRun ? 0 : bootMs - ageMs,
    servesInMs: spec.controlPlane === true ? (hasRun ? 0 : servesMs - ageMs) : undefined,
    registersInMs: hasRun ? 0 : registersMs - ageMs,
    readyInMs: registersMs + spec.nodeReadyDelaySeconds * SECOND - ageMs,
  };
}

/** The shortest of these times that is not over, ms. */
function firstOf(...timesMs: readonly (number | undefined)[]): number | undefined {
  const left = timesMs.filter((timeMs): timeMs is number => timeMs !== undefined && timeMs > 0);
  return left.length === 0 ? undefined : Math.min(...left);
}

async function writeStatus(
  client: KubeClient,
  instance: SimInstance,
  phase: "Provisioned" | "Running",
): Promise<void> {
  const { metadata, spec } = instance;
  // Instances of a pool are in no Machine's status, so they need no addresses.
  const addresses = spec.poolName === undefined ? addressesOf(instance) : undefined;
  const status = {
    phase,
    ...(addresses === undefined ? {} : { addresses }),
    ...(phase === "Running" ? { nodeName: metadata.name } : {}),
  };
  // A Node that has been registered stays, also while its server is silent.
  const { phase: known } = instance.status ?? {};
  if (known === "Running" || sameJson(instance.status, status)) return;
  const key = objectKeyOf(instance);
  const identity = { apiVersion: apiVersionOf(SimInstance), kind: SimInstance.kind };
  const body = { ...identity, metadata: { ...key, uid: metadata.uid }, status };
  await client.apply(SimInstance, key, body, "status");
}
