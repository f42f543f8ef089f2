import { type KubeObject, type ObjectKey, objectKeyOf } from "../../shared/api/kinds.ts";
import type { PatchOperation } from "../../shared/api/patch.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { KubeError } from "../../shared/function/errors.ts";
import type { Clock } from "../../shared/runtime/ports.ts";
import type { ServerClient } from "../kube/verbs.ts";
import { rest } from "../rest.ts";
import { type Member, membersOf } from "./families.ts";
import {
  type Filters,
  isHeldByUser,
  type Standing,
  saysNotPaused,
  saysPaused,
  standingOf,
} from "./standing.ts";
import type { Turn } from "./turn.ts";
import { handOverOperations, pauseOperations, type Receiver } from "./writes.ts";

/** Needs of every step of a take-over. */
export interface Hands {
  readonly client: ServerClient;
  /** The same, whose writes are dry runs. */
  readonly probe: ServerClient;
  readonly clock: Clock;
  readonly filters: Filters;
  readonly turn: Pick<Turn, "check">;
}

/** Which objects change hands, and who gets them. */
export interface Direction extends Receiver {
  /** Objects that the giver works on, or has paused for this. */
  readonly leaves: readonly Standing[];
  /** Objects that belong to the taker already, paused: the other direction was begun. They are only unpaused. */
  readonly stays: Standing;
  /** For errors: who has them now, and who gets them. */
  readonly giver: string;
  readonly taker: string;
}

const LOOK_MS = 100;
/** A controller sees an annotation at once, unless it has a long queue or does not run. */
const PAUSED_WITHIN_MS = 60 * SECOND;
const TAKEN_WITHIN_MS = 120 * SECOND;
/** A restart of Cluster API's manager takes its webhooks away for some seconds. */
const ATTEMPTS = 200;
const PARALLEL = 10;

/**
 * Pauses the objects of a Cluster that are to change hands, and waits until the controller of each says so: from then on
 * none of them is written, created or deleted. Returns them. Throws when a controller does not answer within a minute.
 */
export async function pauseCluster(
  hands: Hands,
  cluster: ObjectKey,
  direction: Direction,
): Promise<readonly Member[]> {
  const { clock } = hands;
  const until = clock.now().getTime() + PAUSED_WITHIN_MS;
  for (;;) {
    const leaving = await standing(hands, cluster, direction.leaves);
    // Until it is paused a set may make a Machine, so each look is at all objects.
    for (const members of inOrder(leaving))
      await each(hands, members, ({ object }) => pauseOperations(object));
    const silent = leaving.filter(({ object }) => !saysPaused(object));
    if (silent.length === 0) return leaving;
    if (clock.now().getTime() > until) {
      throw new Error(
        `${direction.giver} has not paused ${someOf(silent)} of Cluster ${textOf(cluster)} within ${PAUSED_WITHIN_MS / SECOND} s; ` +
          "is it running, and does it have their label? Nothing has changed hands: continue with the same command, or return with the other one",
      );
    }
    await rest(LOOK_MS, clock);
  }
}

/** Gives the paused objects of a Cluster to the other controller, each by one patch. */
export async function giveCluster(hands: Hands, cluster: ObjectKey, direction: Direction): Promise<number> {
  const leaving = await standing(hands, cluster, [...direction.leaves, direction.stays]);
  await each(hands, leaving, (member) => handOverOperations(member, direction));
  return leaving.length;
}

/** Waits until the controller that got the objects works on all of them. Throws when it does not within two minutes. */
export async function untilTaken(hands: Hands, cluster: ObjectKey, direction: Direction): Promise<void> {
  const { client, clock } = hands;
  const until = clock.now().getTime() + TAKEN_WITHIN_MS;
  for (;;) {
    const members = await membersOf(client, cluster);
    const isHeld = members.some(
      ({ kind, object }) => kind.kind === "Cluster" && Reflect.get(object, "spec")?.paused === true,
    );
    const waiting = isHeld
      ? []
      : members.filter(({ object }) => !isHeldByUser(object) && !saysNotPaused(object));
    if (waiting.length === 0) return;
    if (clock.now().getTime() > until) {
      throw new Error(
        `${direction.taker} does not work on ${someOf(waiting)} of Cluster ${textOf(cluster)}, ${TAKEN_WITHIN_MS / SECOND} s after it got them; ` +
          "is it running with the right --watch-filter? capstan takeover plan shows where each Cluster is",
      );
    }
    await rest(LOOK_MS, clock);
  }
}

async function standing(
  { client, filters }: Hands,
  cluster: ObjectKey,
  wanted: readonly Standing[],
): Promise<readonly Member[]> {
  const members = await membersOf(client, cluster);
  return members.filter(({ object }) => wanted.includes(standingOf(object, filters)));
}

/** In groups of one kind, those that make others first. */
function inOrder(members: readonly Member[]): readonly (readonly Member[])[] {
  return [...Map.groupBy(members, ({ kind }) => kind).values()];
}

async function each(
  hands: Hands,
  members: readonly Member[],
  operations: (member: Member) => readonly PatchOperation[],
): Promise<void> {
  const waiting = [...members];
  const work = async (): Promise<void> => {
    for (let member = waiting.shift(); member !== undefined; member = waiting.shift()) {
      await patchMember(hands, member, operations);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

/** Reads again when another writer was faster; what is gone needs nothing. */
async function patchMember(
  hands: Hands,
  found: Member,
  operations: (member: Member) => readonly PatchOperation[],
): Promise<void> {
  let member: Member | undefined = found;
  for (let attempt = 1; member !== undefined; attempt += 1) {
    const wanted = operations(member);
    if (wanted.length === 0 || (await isSent(hands, member, wanted))) return;
    if (attempt === ATTEMPTS)
      throw new Error(`${someOf([found])} changes too often, or its webhook does not answer`);
    await rest(LOOK_MS, hands.clock);
    const object: KubeObject | undefined = await hands.client.get(found.kind, objectKeyOf(found.object));
    // One of the same name is another object: the next look at the Cluster finds it.
    const isSame = object?.metadata.uid === found.object.metadata.uid;
    member = object !== undefined && isSame ? { kind: found.kind, object } : undefined;
  }
}

/** Returns false when it has to be tried again. */
async function isSent(
  { client, turn }: Hands,
  { kind, object }: Member,
  operations: readonly PatchOperation[],
): Promise<boolean> {
  turn.check();
  try {
    await client.jsonPatch(kind, objectKeyOf(object), operations);
    return true;
  } catch (error) {
    if (error instanceof KubeError && (error.class === "Conflict" || isWebhookAway(error))) return false;
    if (error instanceof KubeError && error.status === 404) return true;
    throw error;
  }
}

/** While Cluster API's manager restarts, its webhooks do not answer. */
function isWebhookAway({ status, message }: KubeError): boolean {
  return status >= 500 && message.includes("webhook");
}

function textOf({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}

const MAX_NAMED = 3;
function someOf(members: readonly Member[]): string {
  const titles = members.map(({ object }) => `${object.kind} ${object.metadata.name}`);
  const more = titles.length - MAX_NAMED;
  return more > 0 ? `${titles.slice(0, MAX_NAMED).join(", ")} and ${more} more` : titles.join(", ");
}
