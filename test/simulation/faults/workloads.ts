import type { SimInstance } from "../../../infra/playground/api/sim-cloud.ts";
import type { KubeObject } from "../../../infra/playground/apiserver/entry.ts";
import { Node, type NodeCondition } from "../../../shared/api/core.ts";
import type { World } from "../play/world.ts";
import { CERTIFICATE_HEADER } from "../ports/handshake.ts";
import type { LineOperation } from "../ports/line-queue.ts";
import { isRequest, type RequestOperation } from "../ports/request-operation.ts";
import { type AnyOperation, type Fault, isNotification, isOurs } from "./fault.ts";
import { kubeconfigTextOf, kubeletOf } from "./kubelets.ts";
import { refusal } from "./refusal.ts";
import { somebody } from "./somebody.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const MAX_AWAY_MS = 20 * MINUTE;
const SECRETS = "/secrets";

/** workload clusters. */
export const workloads: readonly Fault[] = [
  {
    number: "X-40",
    title: "a workload cluster is unreachable",
    rate: 1 / 200,
    most: 2,
    isSite: isToWorkload,
    strike(operation, { troubles }, chance) {
      if (!isRequest(operation)) return;
      const { server } = operation;
      const why = chance.pick(UNREACHABLE);
      refuse(operation, why);
      troubles.hit(SECOND + chance.below(MAX_AWAY_MS), (other) => {
        if (!isOurs(other.process) || Reflect.get(other, "server") !== server) return false;
        if (isRequest(other)) refuse(other, why);
        // A line that is on its way: the connection breaks, or nothing is heard of it again.
        else if (other.kind === "line" && "breakOff" in other && why !== SILENCE)
          (other as LineOperation).breakOff();
        return true;
      });
    },
  },
  {
    number: "X-41",
    title: "a kubeconfig is rotated, malformed or missing for a while",
    rate: 1 / 100,
    share: 0.2,
    most: 1,
    isDetour: true,
    isSite: (operation, world) =>
      isToWorkload(operation, world) && kubeconfigOf(operation, world) !== undefined,
    strike(operation, world, chance) {
      operation.run();
      const secret = kubeconfigOf(operation, world);
      if (secret === undefined || !isRequest(operation)) return;
      const ms = SECOND + chance.below(5 * MINUTE);
      const change = chance.below(3);
      if (change === 0) remove(secret, world, ms, chance.uuid());
      else if (change === 1) replaceValue(secret, "this is not a kubeconfig", world, ms);
      else rotate(secret, operation, world, ms);
    },
  },
  {
    number: "X-42",
    title: "a Node flaps: not ready, and ready again after a few seconds",
    rate: 1 / 10,
    isSite: (operation, { management }) =>
      isNotification(operation) && operation.server !== management.address,
    strike(operation, world, chance) {
      operation.run();
      if (!isNotification(operation)) return;
      const { object } = JSON.parse(operation.line) as { readonly object: Node };
      void flap(object.metadata.name, operation.server, world, SECOND + chance.below(20 * SECOND));
    },
  },
];

const SILENCE = "silence";
const UNREACHABLE = [
  SILENCE,
  "connect ECONNREFUSED",
  "write EPROTO ssl3_get_record:wrong version number",
  "unable to verify the first certificate",
] as const;

/** A request that is never answered ends when its client has had enough. */
function refuse(operation: RequestOperation, why: string): void {
  if (why !== SILENCE) operation.refuse(why);
}

function isToWorkload(operation: AnyOperation, { management }: World): boolean {
  return isRequest(operation) && isOurs(operation.process) && operation.server !== management.address;
}

/** The Secret whose kubeconfig names the server of a request. */
function kubeconfigOf(operation: AnyOperation, { management }: World): KubeObject | undefined {
  if (!isRequest(operation)) return undefined;
  const { server } = operation;
  return [...management.storage.collection(SECRETS).values()].find((secret) =>
    kubeconfigTextOf(secret).includes(`https://${server}\n`),
  );
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** It is gone, and comes back with another uid unless a user has made a new one. */
function remove(secret: KubeObject, { management, troubles }: World, ms: number, uid: string): void {
  management.storage.remove(SECRETS, secret);
  troubles.lasting(ms, () => {
    if (management.storage.collection(SECRETS).find(keyOf(secret)) !== undefined) return;
    management.storage.put(SECRETS, { ...secret, metadata: { ...secret.metadata, uid } });
  });
}

/** Its content is another one, until a user or the end of the trouble puts it back. */
function replaceValue(secret: KubeObject, text: string, world: World, ms: number): void {
  const { management, troubles } = world;
  const { version } = management.storage;
  replaceText(secret, text, world);
  troubles.lasting(ms, () => {
    const present = management.storage.collection(SECRETS).find(keyOf(secret));
    if (present?.metadata.resourceVersion !== String(version + 1)) return;
    management.storage.put(SECRETS, { ...present, data: secret["data"] ?? {} });
  });
}

function replaceText(secret: KubeObject, text: string, { management }: World): void {
  const data = { value: Buffer.from(text).toString("base64") };
  management.storage.put(SECRETS, { ...secret, data });
}

/** The server takes other credentials than before; the Secret says so. At the end it is the other way round. */
function rotate(secret: KubeObject, { server }: RequestOperation, world: World, ms: number): void {
  const text = kubeconfigTextOf(secret);
  const old = /client-certificate-data: (\S+)/.exec(text)?.[1];
  if (old === undefined) return;
  // The same certificate in another text.
  const next = btoa(`${atob(old)}\n`);
  replaceText(secret, text.replaceAll(old, next), world);
  // Other edits of the meantime stay.
  world.troubles.lasting(ms, () => {
    const present = world.management.storage.collection(SECRETS).find(keyOf(secret));
    if (present !== undefined) replaceText(present, kubeconfigTextOf(present).replaceAll(next, old), world);
  });
  world.troubles.hit(ms, (operation) => {
    if (!isRequest(operation) || operation.server !== server || !isOurs(operation.process)) return false;
    if (operation.request.headers[CERTIFICATE_HEADER] === next) return false;
    operation.answer(refusal(401, "Unauthorized"));
    return true;
  });
}

/** Its kubelet says so. */
async function flap(name: string, server: string, world: World, ms: number): Promise<void> {
  const kubelet = kubeletOf(server, world);
  if (kubelet === undefined) return;
  const { clock } = somebody(world).process;
  const key = { namespace: "", name };
  const report = async (isReady: boolean): Promise<void> => {
    if (isToFail(name, world)) return;
    const node = await kubelet.get(Node, key);
    const at = node?.status?.conditions?.findIndex(({ type }) => type === "Ready") ?? -1;
    const before = node?.status?.conditions?.[at];
    if (node === undefined || before === undefined) return;
    const value = isReady ? READY : { ...READY, ...NOT_READY };
    const lastTransitionTime = `${clock.now().toISOString().slice(0, 19)}Z`;
    await kubelet.jsonPatch(
      Node,
      key,
      [{ op: "replace", path: `/status/conditions/${at}`, value: { ...value, lastTransitionTime } }],
      "status",
    );
  };
  await report(false).catch(() => undefined);
  world.troubles.lasting(ms, () => void report(true).catch(() => undefined));
}

/** Its instance was asked to let it fail: it neither flaps nor becomes ready by itself. */
function isToFail(name: string, { management }: World): boolean {
  const instances = management.storage.collection("cloud.sim.capstan.dev/siminstances").values();
  const found = [...instances].find(({ metadata }) => metadata.name === name) as SimInstance | undefined;
  return Object.keys(found?.spec.faults ?? {}).length > 0;
}

const READY: NodeCondition = {
  type: "Ready",
  status: "True",
  reason: "KubeletReady",
  message: "kubelet is posting ready status",
};
const NOT_READY = {
  status: "False",
  reason: "KubeletNotReady",
  message: "container runtime network not ready",
};
