import { type Kind, type KubeObject, objectKeyOf, titleOf } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import type { Freshness } from "../../../shared/runtime/read/signs.ts";

/** Objects of one kind below one object that are left out of a tree. */
export interface LeftOut {
  readonly kind: string;
  /** `ready`: known to be. `other`: behind the worst of their kind, or not known to be ready. */
  readonly state: "ready" | "other";
  readonly count: number;
}

/** Returns `983 Machines ready`, `1 more Machine`. */
export function textOfLeftOut({ kind, state, count }: LeftOut): string {
  const named = count === 1 ? kind : `${kind.replace(/y$/, "ie")}s`;
  return state === "ready" ? `${count} ${named} ready` : `${count} more ${named}`;
}

/** Returns the objects left out; while the read model is old, nothing is known to be ready. */
export function leftOutOf(more: readonly LeftOut[], { silences }: Freshness): readonly LeftOut[] {
  if (silences.length === 0) return more;
  const sums = new Map<string, number>();
  for (const { kind, count } of more) sums.set(kind, (sums.get(kind) ?? 0) + count);
  return [...sums].map(([kind, count]) => ({ kind, state: "other", count }));
}

/** A pool of a thousand Machines must still fit on a screen. */
const MAX_SHOWN = 20;
/** The number of siblings that are shorter to read by name than their count is to look into. */
const MAX_READY_SHOWN = 5;

/** The objects of one kind below one object: those that stand in a tree, and the count of the others. */
interface Shown {
  readonly shown: readonly KubeObject[];
  readonly leftOut: readonly LeftOut[];
}

/** Picks the worst 20; those that are ready are counted when there are more than five. */
export function pickShown(kind: Kind, worstFirst: readonly Ranked[]): Shown {
  const [ready, others] = [worstFirst.filter(isReady), worstFirst.filter((one) => !isReady(one))];
  const isFolded = ready.length > MAX_READY_SHOWN || worstFirst.length > MAX_SHOWN;
  const shown = (isFolded ? others : worstFirst).slice(0, MAX_SHOWN);
  const leftOut = [
    {
      kind: kind.kind,
      state: "other" as const,
      count: others.length - Math.min(others.length, shown.length),
    },
    { kind: kind.kind, state: "ready" as const, count: isFolded ? ready.length : 0 },
  ];
  return { shown: shown.map(({ object }) => object), leftOut: leftOut.filter(({ count }) => count > 0) };
}

/** An object among its siblings. Its place is also a cursor. */
export interface Ranked {
  readonly object: KubeObject;
  /** One of RANKS; the worst is 0. */
  readonly score: number;
  /** The sort key: since when, RFC 3339, and the name. */
  readonly member: string;
}

/** A function has given up on it; a condition is bad; one is not known; it changes or goes; says nothing; is ready. */
const RANKS = ["dead", "bad", "unclear", "changing", "silent", "ready"] as const;
const rankOf = (rank: (typeof RANKS)[number]): number => RANKS.indexOf(rank);

export function isReady({ score }: Pick<Ranked, "score">): boolean {
  return score === rankOf("ready");
}

/**
 * Sorts objects of a kind: the worst first, of equal ones what is longest in that state, then by name. `dead` names the
 * objects that a function has given up, `Machine default/m1`.
 */
export function worstFirst(
  objects: readonly KubeObject[],
  dead: ReadonlySet<string> = new Set(),
): readonly Ranked[] {
  return objects.map((object) => place(object, dead)).sort(comparePlaces);
}

/** Returns a negative number when `a` stands before `b`. */
function comparePlaces(a: Omit<Ranked, "object">, b: Omit<Ranked, "object">): number {
  return a.score - b.score || compareText(a.member, b.member);
}

function place(object: KubeObject, dead: ReadonlySet<string>): Ranked {
  const { rank, since } = dead.has(titleOf(object.kind, object.metadata))
    ? { rank: rankOf("dead"), since: undefined }
    : worstOf(object);
  const { namespace, name } = objectKeyOf(object);
  return { object, score: rank, member: `${since ?? LAST} ${namespace}/${name}` };
}
/** A text that sorts behind every time. */
const LAST = "~";

interface State {
  readonly rank: number;
  /** RFC 3339. */
  readonly since?: string | undefined;
  /** It says that the object serves its purpose. */
  readonly isProof?: boolean;
}

function worstOf(object: KubeObject): State {
  const { deletionTimestamp } = object.metadata;
  const going: State = { rank: rankOf("changing"), since: deletionTimestamp };
  const states = [...statesOf(object), ...(deletionTimestamp === undefined ? [] : [going])];
  const rank = Math.min(rankOf("silent"), ...states.map((state) => state.rank));
  // An object that says nothing about itself is not known to be ready.
  if (rank === rankOf("silent"))
    return { rank: states.some(({ isProof }) => isProof) ? rankOf("ready") : rank };
  const [since] = states
    .flatMap((state) => (state.rank === rank && state.since !== undefined ? [state.since] : []))
    .sort(compareText);
  return { rank, since };
}

/** Conditions of providers are foreign data. */
function statesOf(object: KubeObject): readonly State[] {
  const conditions = valueAt(object, "status.conditions");
  if (!Array.isArray(conditions)) return [];
  return conditions.map((one: unknown) => {
    const [type, status, since] = ["type", "status", "lastTransitionTime"].map((field) => {
      const value = valueAt(one, field);
      return typeof value === "string" ? value : undefined;
    });
    const isProof = (type === "Ready" || type === "Available") && status === "True";
    return { rank: rankOfCondition(type ?? "", status), since, isProof };
  });
}

function rankOfCondition(type: string, status: string | undefined): number {
  const good = goodStatusOf(type);
  if (status === good) return rankOf("silent");
  if (good === "False") return rankOf("changing");
  return status === "False" ? rankOf("bad") : rankOf("unclear");
}

/** Types whose good status is False. */
const GOOD_WHEN_FALSE = new Set([
  "Deleting",
  "Paused",
  "Remediating",
  "RollingOut",
  "ScalingDown",
  "ScalingUp",
  "Updating",
]);

/** Returns the status that a condition of this type has while all is well. */
export function goodStatusOf(type: string): "True" | "False" {
  return GOOD_WHEN_FALSE.has(type) ? "False" : "True";
}
