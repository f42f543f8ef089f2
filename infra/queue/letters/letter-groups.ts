import { createHash } from "node:crypto";
import type { DeadLetterHead } from "../../../shared/runtime/letters/dead-letter.ts";
import { type Key, parseKey } from "../../../shared/runtime/queue/key.ts";
import { type Cursor, compareCursors } from "../../platform/cursor.ts";
import { errorPattern } from "./error-pattern.ts";
import type { KnownHead } from "./known-deaths.ts";

/** Letters with one cause: the same function, death and error, but for names and numbers. */
export interface LetterGroup {
  /** 16 hexadecimal digits; the same for the same cause in every process. */
  readonly id: string;
  readonly function: string;
  /** The reason of the deaths: `MaxAttempts`. */
  readonly reason: string;
  /** `Transient NoAnswer: server … does not answer`. */
  readonly error: string;
  readonly count: number;
  /** The number of their keys that are still dead; absent where the queue was not asked. */
  readonly dead?: number;
  /** The longest dead, RFC 3339. */
  readonly oldest: string;
  readonly newest: string;
  /** Examples, at most three keys. */
  readonly examples: readonly Key[];
}

export interface LetterGroups {
  /** Those with the most dead keys first; where the queue was not asked, those with the most letters. */
  readonly items: readonly LetterGroup[];
  /** Letters in none of them: there were too many different errors. */
  readonly ungrouped: number;
}

const MAX_GROUPS = 2_000;
const MAX_EXAMPLES = 3;

/** `isDead`: whether the key is still dead, where that is known. */
type Head = DeadLetterHead & Partial<Pick<KnownHead, "isDead">>;

/** Groups letters by their cause; holds at most 2,000 groups, however many letters there are. */
export async function groupLetters(heads: Iterable<Head> | AsyncIterable<Head>): Promise<LetterGroups> {
  const groups = new Map<string, LetterGroup>();
  let ungrouped = 0;
  for await (const head of heads) {
    const id = groupIdOf(head);
    const group = groups.get(id);
    if (group !== undefined) groups.set(id, withLetter(group, head));
    else if (groups.size < MAX_GROUPS) groups.set(id, groupOf(id, head));
    else ungrouped += 1;
  }
  const items = [...groups.values()].sort((a, b) => compareCursors(groupPlaceOf(a), groupPlaceOf(b)));
  return { items, ungrouped };
}

/** Puts most dead keys first, then the longest dead. */
export function groupPlaceOf({ count, dead = count, oldest, id }: LetterGroup): Cursor {
  return { score: -dead, member: `${oldest} ${id}` };
}

/** The same heads are grouped for several pages and viewers. */
const ids = new WeakMap<DeadLetterHead, string>();

/** Returns the group of a letter. */
export function groupIdOf(head: DeadLetterHead): string {
  const known = ids.get(head);
  if (known !== undefined) return known;
  const cause = JSON.stringify([head.function, head.reason, errorOf(head)]);
  const id = createHash("sha256").update(cause).digest("hex").slice(0, 16);
  ids.set(head, id);
  return id;
}

function groupOf(id: string, head: Head): LetterGroup {
  const { function: name, reason, deadSince, key, isDead } = head;
  return {
    id,
    function: name,
    reason,
    error: errorOf(head),
    count: 1,
    ...(isDead === undefined ? {} : { dead: Number(isDead) }),
    oldest: deadSince,
    newest: deadSince,
    examples: [key],
  };
}

function withLetter(group: LetterGroup, { deadSince, key, isDead }: Head): LetterGroup {
  const { count, dead, oldest, newest, examples } = group;
  return {
    ...group,
    count: count + 1,
    ...(dead === undefined ? {} : { dead: dead + Number(isDead) }),
    oldest: deadSince < oldest ? deadSince : oldest,
    newest: deadSince > newest ? deadSince : newest,
    examples: examples.length < MAX_EXAMPLES ? [...examples, key] : examples,
  };
}

function errorOf({ error, key }: DeadLetterHead): string {
  const { tenant = "", namespace = "", name = "" } = parseKey(key) ?? {};
  const cluster = tenant.slice(tenant.indexOf("/") + 1);
  return `${error.class} ${error.reason}: ${errorPattern(error.message, [name, namespace, cluster])}`;
}
