import { Node, type NodeCondition } from "../../../shared/api/core.ts";
import { objectKeyOf } from "../../../shared/api/kinds.ts";
import { Pod } from "../../../shared/api/workload.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { SimInstance } from "../api/sim-cloud.ts";
import type { CloudView, RunningServer } from "./cloud-view.ts";
import { nodeOf, withTimes } from "./node.ts";

/** The Node that an instance has registered. */
export interface Registered {
  readonly name: string;
  readonly server: RunningServer;
  readonly uid: string | undefined;
  /** Number of reboots before it was registered. */
  readonly reboots: number;
  /** Its conditions as far as they are known. */
  conditions: readonly NodeCondition[];
  /** Whether they are what was reported last; false: they are those of an earlier registration, or it has none. */
  isReported: boolean;
  /** The time since when its instance is gone, ms since the epoch. */
  leftAt?: number;
}

/** Stage of an instance. */
export interface Stage {
  readonly instance: SimInstance;
  /** Its kubelet is ready. */
  readonly ready: boolean;
  readonly now: Date;
}

/** Registers the Node of an instance where it has none on this server or was rebooted, and reports its conditions. */
export async function upToDateNode(
  known: Registered | undefined,
  server: RunningServer,
  stage: Stage,
): Promise<Registered> {
  const isKnown = known?.server === server && known.reboots === rebootsOf(stage.instance);
  const node = isKnown ? known : await register(server, stage);
  const { conditions } = nodeOf(stage.instance, stage.ready, stage.now).status;
  if (!node.isReported || !saysTheSame(node.conditions, conditions)) await report(node, stage);
  return node;
}

function rebootsOf({ spec }: SimInstance): number {
  return spec.reboots ?? 0;
}

function saysTheSame(a: readonly NodeCondition[], b: readonly NodeCondition[]): boolean {
  const text = (conditions: readonly NodeCondition[]) =>
    JSON.stringify(conditions.map(({ type, status, reason }) => [type, status, reason]));
  return text(a) === text(b);
}

async function register(server: RunningServer, { instance, ready, now }: Stage): Promise<Registered> {
  const node = nodeOf(instance, ready, now);
  const common = { name: instance.metadata.name, server, reboots: rebootsOf(instance) };
  try {
    const created: Node = await server.client.create(Node, node);
    // Kubernetes keeps the status that a kubelet registers with; not every server does.
    const isReported = created.status?.conditions?.some(({ type }) => type === "Ready") ?? false;
    return { ...common, uid: created.metadata.uid, conditions: node.status.conditions, isReported };
  } catch (error) {
    if (!(error instanceof KubeError) || error.reason !== "AlreadyExists") throw error;
  }
  const existing = await server.client.get(Node, nodeKey(instance.metadata.name));
  if (existing?.spec?.providerID === node.spec?.providerID) {
    const conditions = existing?.status?.conditions ?? [];
    return { ...common, uid: existing?.metadata.uid, conditions, isReported: false };
  }
  if (existing !== undefined) await deleteNode(server, instance.metadata.name, existing.metadata.uid);
  // The name is free now; the retry registers.
  throw new Error(`Node ${instance.metadata.name} of another instance had the name; deleted it`);
}

/** Writes the whole status: with server-side apply, what is left out is removed. */
async function report(node: Registered, { instance, ready, now }: Stage): Promise<void> {
  const { apiVersion, kind, metadata, status } = nodeOf(instance, ready, now);
  const conditions = withTimes(status.conditions, node.conditions);
  const identity = { apiVersion, kind, metadata: { name: metadata.name, uid: node.uid } };
  const body = { ...identity, status: { ...status, conditions } };
  try {
    await node.server.client.apply(Node, nodeKey(metadata.name), body, "status");
  } catch (error) {
    // The Node was deleted by another client: a kubelet registers only when it starts.
    if (!(error instanceof KubeError) || !NODE_GONE.has(error.reason)) throw error;
  }
  node.conditions = conditions;
  node.isReported = true;
}

const NODE_GONE: ReadonlySet<string> = new Set(["NotFound", "Conflict"]);

/** Deletes a Node and the Pods there. */
export async function removeNode(view: CloudView, { server, name, uid }: Registered): Promise<void> {
  // With its server gone, the Node is gone too.
  if (view.running.get(server.id) !== server) return;
  await deleteNode(server, name, uid);
  const { items } = await server.client.list(Pod, { fieldSelector: `spec.nodeName=${name}` });
  for (const pod of items) {
    await server.client.delete(Pod, objectKeyOf(pod), { uid: pod.metadata.uid ?? "" });
  }
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
