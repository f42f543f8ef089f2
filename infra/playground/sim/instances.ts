import { apiVersionOf, objectKeyOf } from "../../../shared/api/kinds.ts";
import { sameJson } from "../../../shared/api/path.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { SimInstance } from "../api/sim-cloud.ts";
import { type Claim, isHeld, judge, release, type Thing } from "./claims.ts";
import { type CloudView, homeOf, type RunningServer } from "./cloud-view.ts";
import { addressesOf, type Registered, removeNode, upToDateNode } from "./node.ts";

/** Facts about an instance that its objects may have lost. */
interface Life {
  /** The time since when it boots, ms since the epoch. */
  readonly bornAtMs: number;
  hasRun: boolean;
  node?: Registered | undefined;
}

export interface InstancesOptions {
  readonly clock: Clock;
  readonly view: CloudView;
  /** Time that a Node outlives its instance, ms; default 0. */
  readonly nodeLingersMs?: number | undefined;
  /** Called with the id of a server when the API server of an instance starts or is gone. */
  readonly onApiServer: (server: string) => void;
}

/**
 * Runs one instance by level: pending until its boot delay is over, then provisioned; on the control plane its API
 * server starts; then it is registered as a Node and Running, then its Node is Ready. When its last object is deleted
 * for good, its Node and the Pods there go too, at once or after a while as with a cloud controller manager, and its API
 * server; when that is let go, it runs on, and the next object that names it finds it as it is. Delays count from the creation
 * of its first SimInstance (in whole seconds, so up to 1 s less), so that after a restart of this process every instance
 * is back at once. Returns the delay until the next stage, ms.
 *
 * Differs: the Node of the first control plane instance is registered after its API server has started, for it
 * registers there.
 */
export function createInstanceRun(options: InstancesOptions): (id: string) => Promise<number | undefined> {
  const lives = new Map<string, Life>();
  const { clock, view, nodeLingersMs = 0 } = options;

  return async (id) => {
    const thing = view.instances.things.get(id);
    if (thing === undefined) return undefined;
    const { wanting, leaving } = await judge(thing);
    if (thing.isOver) {
      endApiServer(options, thing);
      await release(SimInstance, leaving);
      const lingersMs =
        wanting.length === 0 ? lingersFor(lives.get(id)?.node, nodeLingersMs, clock.now()) : 0;
      if (lingersMs > 0) return lingersMs;
      await loseNode(lives.get(id));
      forget(thing);
    } else await release(SimInstance, leaving);
    return thing.isOver || wanting.length === 0 ? undefined : live(thing, wanting);
  };

  /** Takes an instance to its present stage; returns the delay until the next, ms. */
  async function live(
    thing: Thing<SimInstance>,
    wanting: readonly Claim<SimInstance>[],
  ): Promise<number | undefined> {
    const [{ object }] = wanting as [Claim<SimInstance>];
    const home = homeOf(view, thing) ?? "";
    const server = view.running.get(home);
    const life = lifeOf(thing, wanting, server);
    const due = stagesOf(object, life, clock.now());
    if (due.bootsInMs > 0) return due.bootsInMs;
    if (due.servesInMs !== undefined && due.servesInMs <= 0) startApiServer(options, thing.id, home);
    if (due.registersInMs <= 0 && server?.answers === true) return runNode(wanting, life, { server, due });
    // It registers with a server that answers, whose start runs the instance again.
    if (object.spec.poolName === undefined) await report(wanting, life.hasRun ? "Running" : "Provisioned");
    return firstOf(due.servesInMs, due.registersInMs);
  }

  /** Its objects say whether it has run; where they do not, its Node does. */
  function lifeOf(
    { id }: Thing<SimInstance>,
    wanting: readonly Claim<SimInstance>[],
    server: RunningServer | undefined,
  ): Life {
    const [{ object }] = wanting as [Claim<SimInstance>];
    const life = lives.get(id) ?? newLife(object);
    lives.set(id, life);
    life.hasRun ||= hasRun(wanting) || server?.hasNode(object.metadata.name, id) === true;
    return life;
  }

  async function runNode(
    wanting: readonly Claim<SimInstance>[],
    life: Life,
    { server, due }: { readonly server: RunningServer; readonly due: ReturnType<typeof stagesOf> },
  ): Promise<number | undefined> {
    const [{ object }] = wanting as [Claim<SimInstance>];
    const stage = { instance: object, ready: due.readyInMs <= 0, now: clock.now() };
    if (object.spec.faults?.node === "Gone") await loseNode(life);
    else life.node = await upToDateNode(life.node, server, stage);
    life.hasRun = true;
    await report(wanting, "Running");
    return stage.ready ? firstOf(due.servesInMs) : due.readyInMs;
  }

  async function loseNode(life: Life | undefined): Promise<void> {
    if (life?.node === undefined) return;
    await removeNode(view, life.node);
    life.node = undefined;
  }

  /** Objects that still stand for it want another instance of the same identity. */
  function forget(thing: Thing<SimInstance>): void {
    lives.delete(thing.id);
    if (thing.claims.size === 0) {
      view.instances.things.delete(thing.id);
      view.homes.delete(thing.id);
    }
    const isWantedAgain = [...thing.claims.values()].some(({ object }) => !isDeleting(object));
    if (isWantedAgain) thing.isOver = false;
  }
}

/** Returns the time that a Node without instance still stays, counted from when that was seen, ms. */
function lingersFor(node: Registered | undefined, nodeLingersMs: number, now: Date): number {
  if (node === undefined) return 0;
  node.leftAt ??= now.getTime();
  return node.leftAt + nodeLingersMs - now.getTime();
}

function startApiServer({ view, onApiServer }: InstancesOptions, id: string, home: string): void {
  view.apiServers.add(id);
  if (home !== "" && view.running.get(home)?.answers !== true) onApiServer(home);
}

function endApiServer({ view, onApiServer }: InstancesOptions, thing: Thing<SimInstance>): void {
  const home = homeOf(view, thing);
  if (view.apiServers.delete(thing.id) && home !== undefined) onApiServer(home);
}

/** Says so in every object that stands for the instance, and may be written. */
async function report(
  claims: readonly Claim<SimInstance>[],
  phase: "Provisioned" | "Running",
): Promise<void> {
  const due = claims.filter((claim) => !isHeld(claim) && !isDeleting(claim.object));
  await Promise.all(due.map((claim) => writeStatus(claim, phase)));
}

async function writeStatus(
  { management: { client }, object }: Claim<SimInstance>,
  phase: "Provisioned" | "Running",
): Promise<void> {
  const { metadata, spec } = object;
  // Instances of a pool are in no Machine's status, so they need no addresses.
  const addresses = spec.poolName === undefined ? addressesOf(object) : undefined;
  const status = {
    phase,
    ...(addresses === undefined ? {} : { addresses }),
    ...(phase === "Running" ? { nodeName: metadata.name } : {}),
  };
  // A Node that has been registered stays, also while its server is silent.
  if (object.status?.phase === "Running" || sameJson(object.status, status)) return;
  const key = objectKeyOf(object);
  const identity = { apiVersion: apiVersionOf(SimInstance), kind: SimInstance.kind };
  const body = { ...identity, metadata: { ...key, uid: metadata.uid }, status };
  await client.apply(SimInstance, key, body, "status");
}

function newLife({ metadata }: SimInstance): Life {
  return { bornAtMs: Date.parse(metadata.creationTimestamp ?? ""), hasRun: false };
}

function hasRun(claims: readonly Claim<SimInstance>[]): boolean {
  return claims.some(({ object }) => object.status?.phase === "Running");
}

/** Returns how long until each stage, ms; 0 or less: reached. `servesInMs` only on the control plane. */
function stagesOf({ spec }: SimInstance, { bornAtMs, hasRun }: Life, now: Date) {
  const ageMs = now.getTime() - bornAtMs;
  const bootMs = spec.bootDelaySeconds * SECOND;
  const registersMs = bootMs + (spec.nodeDelaySeconds ?? 0) * SECOND;
  const servesMs = bootMs + (spec.apiServerDelaySeconds ?? 0) * SECOND;
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
