import { type KubeObject, type ObjectKey, objectKeyOf } from "../../../shared/api/kinds.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import { rest } from "../../platform/rest.ts";
import { createTurns } from "../../relay/turns.ts";
import { clusterOf, type Member, membersOf, nameOf } from "./families.ts";
import { makersOf } from "./makers.ts";
import {
  type Filters,
  isHeldByUser,
  type Standing,
  saysNotPaused,
  saysPaused,
  standingOf,
} from "./standing.ts";
import type { Turn } from "./turn.ts";
import { handOverOperations, makerOperations, pauseOperations, type Receiver } from "./writes.ts";

/** Needs of every step of a take-over. */
export interface Hands {
  readonly client: ServerClient;
  /** The same, whose writes are dry runs. */
  readonly probe: ServerClient;
  readonly clock: Clock;
  readonly filters: Filters;
  readonly turn: Pick<Turn, "check">;
}

/** A controller that gives objects, or gets them. */
export interface Side {
  readonly name: string;
  /** Whether a hand-over waits until the object says that this controller has seen the pause, or its end. */
  readonly isAwaited: (member: Member) => boolean;
}

/** Which objects change hands, and who gets them. */
export interface Direction extends Receiver {
  /** Objects that the giver works on, or has paused for this. */
  readonly leaves: readonly Standing[];
  /** Objects that belong to the taker already, paused: the other direction was begun. They are only unpaused. */
  readonly stays: Standing;
  readonly giver: Side;
  readonly taker: Side;
}

const LOOK_MS = 100;
/** A controller sees an annotation at once, unless it does not run. With thousands of objects, it sees one after the other. */
const PAUSED_WITHIN_MS = 60 * SECOND;
const TAKEN_WITHIN_MS = 120 * SECOND;
/** A restart of Cluster API's manager takes its webhooks away for some seconds. */
const ATTEMPTS = 200;
const PARALLEL = 10;

/**
 * Pauses the objects of these Clusters that are to change hands, and waits until their controllers say so: from then on
 * no Machine is created or deleted. Returns them. Throws when a controller answers for no further object within a minute.
 */
export async function pauseClusters(
  hands: Hands,
  clusters: readonly ObjectKey[],
  { leaves, giver }: Direction,
): Promise<readonly Member[]> {
  const { clock } = hands;
  const isOver = createPatience(clock, PAUSED_WITHIN_MS);
  for (;;) {
    const leaving = await standing(hands, clusters, leaves);
    // Until it is paused a set may make a Machine, so each look is at all objects.
    for (const members of inOrder(leaving))
      await each(hands, members, ({ object }) => pauseOperations(object));
    const silent = leaving.filter((member) => giver.isAwaited(member) && !saysPaused(member.object));
    if (silent.length === 0) return leaving;
    if (isOver(silent.length)) {
      throw new Error(
        `${giver.name} has not paused ${someOf(silent)} for ${PAUSED_WITHIN_MS / SECOND} s; ` +
          "is it running, and does it have their label? Nothing has changed hands: continue with the same command, or return with the other one",
      );
    }
    await rest(LOOK_MS, clock);
  }
}

/**
 * Gives the paused objects of these Clusters to the other controller, each by one patch; before them what makes Machines,
 * since its controller may give its labels to the Machines that are there. Returns them.
 */
export async function giveClusters(
  hands: Hands,
  clusters: readonly ObjectKey[],
  direction: Direction,
): Promise<readonly Member[]> {
  const makers = await makersOf(hands.client, await membersOf(hands.client, clusters));
  const templates = makers.flatMap(({ template }) => template ?? []);
  await each(hands, templates, (template) => makerOperations(template, direction));
  const leaving = await standing(hands, clusters, [...direction.leaves, direction.stays]);
  await each(hands, leaving, (member) => handOverOperations(member, direction));
  return leaving;
}

/**
 * Waits until the controller that got these Clusters works on their objects, and none is left: `giveMore` gives what was
 * made for the other side meanwhile. Throws when it begins with no further one within two minutes.
 */
export async function untilTaken(
  hands: Hands,
  clusters: readonly ObjectKey[],
  { direction, giveMore }: { readonly direction: Direction; readonly giveMore: () => Promise<unknown> },
): Promise<void> {
  const { client, clock, filters } = hands;
  const { taker, leaves, stays } = direction;
  const isOver = createPatience(clock, TAKEN_WITHIN_MS);
  for (;;) {
    const members = await membersOf(client, clusters);
    const left = members.filter(({ object }) => [...leaves, stays].includes(standingOf(object, filters)));
    if (left.length > 0) {
      if (isOver(members.length + left.length))
        throw new Error(
          `${someOf(left)} is made for the other side again and again; capstan takeover plan says by what`,
        );
      await giveMore();
      continue;
    }
    const held = new Set(members.filter(isHeldCluster).map(clusterOf));
    const waiting = members.filter(
      (member) =>
        taker.isAwaited(member) &&
        !held.has(clusterOf(member)) &&
        !isHeldByUser(member.object) &&
        !saysNotPaused(member.object),
    );
    if (waiting.length === 0) return;
    if (isOver(waiting.length)) {
      throw new Error(
        `${taker.name} has not begun with ${someOf(waiting)} for ${TAKEN_WITHIN_MS / SECOND} s; ` +
          "is it running with the right --watch-filter? capstan takeover plan shows where each Cluster is",
      );
    }
    await rest(LOOK_MS, clock);
  }
}

/** Returns whether a wait is over: fewer objects were left for the last time so long ago. */
function createPatience(clock: Clock, withinMs: number): (left: number) => boolean {
  let fewest = Number.POSITIVE_INFINITY;
  let until = 0;
  return (left) => {
    const now = clock.now().getTime();
    if (left < fewest) {
      fewest = left;
      until = now + withinMs;
    }
    return now > until;
  };
}

/** A Cluster that its user has paused as a whole. */
function isHeldCluster({ kind, object }: Member): boolean {
  return kind.kind === "Cluster" && valueAt(object, "spec.paused") === true;
}

async function standing(
  { client, filters }: Hands,
  clusters: readonly ObjectKey[],
  wanted: readonly Standing[],
): Promise<readonly Member[]> {
  const members = await membersOf(client, clusters);
  return members.filter(({ object }) => wanted.includes(standingOf(object, filters)));
}

/** Returns groups of one kind, those that make others first. */
function inOrder(members: readonly Member[]): readonly (readonly Member[])[] {
  return [...Map.groupBy(members, ({ kind }) => kind).values()];
}

async function each(
  hands: Hands,
  members: readonly Member[],
  operations: (member: Member) => readonly PatchOperation[],
): Promise<void> {
  const turns = createTurns(PARALLEL);
  await Promise.all(members.map((member) => turns.take(() => patchMember(hands, member, operations))));
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

/** Whether a webhook is away: while Cluster API's manager restarts, its webhooks do not answer. */
function isWebhookAway({ status, message }: KubeError): boolean {
  return status >= 500 && message.includes("webhook");
}

const MAX_NAMED = 3;
function someOf(members: readonly Member[]): string {
  const titles = members.map(({ kind, object }) => `${kind.kind} ${nameOf(object)}`);
  const more = titles.length - MAX_NAMED;
  return more > 0 ? `${titles.slice(0, MAX_NAMED).join(", ")} and ${more} more` : titles.join(", ");
}
