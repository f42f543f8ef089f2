import { Node } from "../../shared/api/core.ts";
import { apiVersionOf, objectKeyOf } from "../../shared/api/kinds.ts";
import { SimInstance } from "../../shared/api/sim/sim-cloud.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { KubeError } from "../../shared/function/errors.ts";
import type { Clock, KubeClient } from "../../shared/runtime/ports.ts";
import { type CloudView, type RunningServer, serverKeyOf } from "./cloud-view.ts";
import { nodeOf } from "./node.ts";

/** The Node that an instance has registered. */
interface Registered {
  readonly instanceUid: string | undefined;
  readonly server: RunningServer;
  readonly uid: string | undefined;
  /** Status of its condition Ready; undefined: it has no status yet. */
  reported: boolean | undefined;
  /** Since when its instance is gone, ms since the epoch. */
  leftAt?: number;
}

export interface InstancesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly view: CloudView;
  /** Time that a Node outlives its instance, ms; default 0. */
  readonly nodeLingersMs?: number | undefined;
}

/**
 * Runs one instance by level: pending until its boot delay is over, then registered as a Node and Running,
 * then its Node is Ready. When the instance is gone its Node goes too, at once or after a while as with a
 * cloud controller manager. Delays count from the creation of the SimInstance (in whole seconds, so
 * up to 1 s less), so that after a restart of this process every instance is back at once. Returns the delay
 * until the next stage, ms.
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
      await removeNode(view, known, key);
      nodes.delete(key);
    }
    return alive === undefined ? undefined : live(key, alive);
  };

  /** Takes an instance to its present stage; returns the delay until the next, ms. */
  async function live(key: string, alive: SimInstance): Promise<number | undefined> {
    const due = stagesOf(alive, clock.now());
    if (due.bootsInMs > 0) return due.bootsInMs;
    const server = view.running.get(serverKeyOf(alive));
    // There is no server to register with: its start runs the instance again.
    if (server === undefined) return undefined;
    const stage = { instance: alive, ready: due.readyInMs <= 0, now: clock.now() };
    nodes.set(key, await upToDateNode(nodes.get(key), server, stage));
    await writeRunning(client, alive);
    return stage.ready ? undefined : due.readyInMs;
  }
}

/** Returns the time that a Node without instance still stays, counted from when that was seen. */
function lingersFor(known: Registered, nodeLingersMs: number, now: Date): number {
  known.leftAt ??= now.getTime();
  return known.leftAt + nodeLingersMs - now.getTime();
}

/** Stage of an instance. */
interface Stage {
  readonly instance: SimInstance;
  /** Its kubelet is ready. */
  readonly ready: boolean;
  readonly now: Date;
}

function stagesOf({ metadata, spec, status }: SimInstance, now: Date) {
  const ageMs = now.getTime() - Date.parse(metadata.creationTimestamp ?? "");
  const bootsInMs = status?.phase === "Running" ? 0 : spec.bootDelaySeconds * SECOND - ageMs;
  return { bootsInMs, readyInMs: (spec.bootDelaySeconds + spec.nodeReadyDelaySeconds) * SECOND - ageMs };
}

async function upToDateNode(
  known: Registered | undefined,
  server: RunningServer,
  stage: Stage,
): Promise<Registered> {
  const node = known?.server === server ? known : await register(server, stage);
  if (node.reported !== stage.ready) await report(node, stage);
  return node;
}

async function register(server: RunningServer, { instance, ready, now }: Stage): Promise<Registered> {
  const instanceUid = instance.metadata.uid;
  const node = nodeOf(instance, ready, now);
  try {
    const created: Node = await server.client.create(Node, node);
    // Kubernetes keeps the status that a kubelet registers with; not every server does.
    const reported = created.status?.conditions?.some(({ type }) => type === "Ready") ? ready : undefined;
    return { instanceUid, server, uid: created.metadata.uid, reported };
  } catch (error) {
    if (!(error instanceof KubeError) || error.reason !== "AlreadyExists") throw error;
  }
  const existing = await server.client.get(Node, nodeKey(instance.metadata.name));
  if (existing?.spec?.providerID === node.spec?.providerID) {
    return { instanceUid, server, uid: existing?.metadata.uid, reported: undefined };
  }
  if (existing !== undefined) await deleteNode(server, instance.metadata.name, existing.metadata.uid);
  // The name is free now; the retry registers.
  throw new Error(`Node ${instance.metadata.name} of another instance had the name; deleted it`);
}

/** Writes the whole status: with server-side apply, what is left out is removed. */
async function report(node: Registered, { instance, ready, now }: Stage): Promise<void> {
  const { apiVersion, kind, metadata, status } = nodeOf(instance, ready, now);
  const body = { apiVersion, kind, metadata: { name: metadata.name, uid: node.uid }, status };
  try {
    await node.server.client.apply(Node, nodeKey(metadata.name), body, "status");
  } catch (error) {
    // The Node was deleted by another client: a kubelet registers only when it starts.
    if (!(error instanceof KubeError) || !NODE_GONE.has(error.reason)) throw error;
  }
  node.reported = ready;
}

const NODE_GONE: ReadonlySet<string> = new Set(["NotFound", "Conflict"]);

async function writeRunning(client: KubeClient, instance: SimInstance): Promise<void> {
  const { phase, nodeName } = instance.status ?? {};
  const { name, uid } = instance.metadata;
  if (phase === "Running" && nodeName === name) return;
  const key = objectKeyOf(instance);
  const identity = { apiVersion: apiVersionOf(SimInstance), kind: SimInstance.kind };
  const body = { ...identity, metadata: { ...key, uid }, status: { phase: "Running", nodeName: name } };
  await client.apply(SimInstance, key, body, "status");
}

async function removeNode(view: CloudView, { server, uid }: Registered, key: string): Promise<void> {
  // With its server gone, the Node is gone too.
  if (view.running.get(server.key) === server) await deleteNode(server, key.slice(key.indexOf("/") + 1), uid);
}

async function deleteNode({ client }: RunningServer, name: string, uid: string | undefined): Promise<void> {
  try {
    await client.delete(Node, nodeKey(name), { uid: uid ?? "" });
  } catch (error) {
    // Another Node has the name by now: it must not be deleted.
    if (!(error instanceof KubeError) || error.reason !== "Conflict") throw error;
  }
}

function nodeKey(name: string) {
  return { namespace: "", name };
}
