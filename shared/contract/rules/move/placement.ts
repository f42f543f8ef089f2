import { fail } from "../rule.ts";
import { at, MOVER, moveRule } from "./move-rule.ts";
import type { MoveObject, MoveOwner, MoveSubject } from "./subject.ts";

export const placeable = moveRule(
  {
    id: "MV-06",
    level: "MUST",
    sentence:
      "Every object of the move set comes after its owners: each owner moves, and no owners own each other",
    effect: "clusterctl move leaves the object behind without an error",
    source: `${MOVER}, getMoveSequence`,
  },
  (subject) => {
    const inCycle = cycleIn(subject);
    return subject.objects
      .filter(({ fate }) => fate === "unplaced")
      .map((object) => {
        const found = reasonOf(object, inCycle);
        return fail({ ...at(object.title), path: "metadata.ownerReferences", found, expected: EXPECTED });
      });
  },
);

const EXPECTED =
  "owners that move and do not own each other; correct the owner references, or label the CRD of the owner";

function reasonOf({ title, owners }: MoveObject, inCycle: ReadonlySet<string>): string {
  const stays = owners.find(({ fate }) => fate === "stays" || fate === "unseen");
  if (stays !== undefined)
    return `owner ${nameOf(stays)} ${stays.fate === "unseen" ? "does not exist" : "stays"}`;
  const waits = owners.filter(({ fate }) => fate === "unplaced").map(nameOf);
  return inCycle.has(title)
    ? `a cycle of owners, by ${waits.join(", ")}`
    : `owner ${waits.join(", ")} stays too`;
}

function nameOf({ kind, name }: MoveOwner): string {
  return `${kind} ${name}`;
}

/** Titles of objects that own each other: those that are left once all without owner, or without dependent, are gone. */
function cycleIn({ objects }: MoveSubject): ReadonlySet<string> {
  const unplaced = objects.filter(({ fate }) => fate === "unplaced");
  const byUid = new Map(unplaced.map((object) => [object.uid, object]));
  const owners = new Map(
    unplaced.map((object) => [object, object.owners.flatMap(({ uid }) => byUid.get(uid) ?? [])]),
  );
  const left = peeled(peeled(owners));
  return new Set([...left.keys()].map(({ title }) => title));
}

type Edges = ReadonlyMap<MoveObject, readonly MoveObject[]>;

/** Removes what has no edge to others, again and again; the edges of the rest are turned round. Linear. */
function peeled(edges: Edges): Edges {
  const reverse = new Map<MoveObject, MoveObject[]>([...edges.keys()].map((object) => [object, []]));
  for (const [from, targets] of edges) for (const target of targets) reverse.get(target)?.push(from);
  const counts = new Map([...edges].map(([object, targets]) => [object, targets.length]));
  const free = [...edges.keys()].filter((object) => counts.get(object) === 0);
  for (let next = free.pop(); next !== undefined; next = free.pop()) {
    counts.delete(next);
    for (const before of reverse.get(next) ?? []) {
      const count = (counts.get(before) ?? 0) - 1;
      counts.set(before, count);
      if (count === 0) free.push(before);
    }
  }
  const kept = (object: MoveObject) => counts.has(object);
  return new Map([...counts.keys()].map((object) => [object, (reverse.get(object) ?? []).filter(kept)]));
}
