import { workloadCluster } from "../../../shared/api/kinds.ts";
import { type DeadLetter, type DeadLetterHead, headOf } from "../../../shared/runtime/letters/dead-letter.ts";
import { parseKey } from "../../../shared/runtime/queue/key.ts";
import type { Cursor } from "../../platform/cursor.ts";
import { groupIdOf, groupLetters } from "../../queue/letters/letter-groups.ts";
import { letterStateOf } from "../../queue/letters/letter-state.ts";
import { type LetterItem, letterSchema, lettersQuerySchema, lettersSchema } from "../api/letters.ts";
import type { Ports } from "../ports.ts";
import { problem } from "../problem.ts";
import { HEADS_KEPT_MS } from "../sources/letter-heads.ts";
import { fullPage, INSTALLED, objectOf, pageInMemory, requireKey, seesKey } from "./require.ts";
import { defineRoute } from "./route.ts";

export const letters = defineRoute(
  {
    method: "GET",
    path: "/letters",
    summary: "Returns the dead letters, by function and by the time at which each was stored.",
    needs: ["letters", "heads", "queue"],
    query: lettersQuerySchema,
    answer: lettersSchema,
  },
  async ({ viewer, query: { function: name, group, limit, next }, ports }) => {
    if (group !== undefined) {
      const seen = (await ports.heads()).filter(
        (head) =>
          groupIdOf(head) === group && head.function === (name ?? head.function) && seesKey(viewer, head.key),
      );
      const { items, ...rest } = pageInMemory(seen, placeOf, { limit, after: next });
      const [whole] = (await groupLetters(seen)).items;
      return { ...rest, group: whole, items: await itemsOf(items, ports.queue) };
    }
    const { items, ...rest } = await fullPage(
      { limit, after: next },
      {
        read: (part) => ports.letters.page({ function: name, ...part }),
        isWanted: ({ key }) => seesKey(viewer, key),
      },
    );
    return { ...rest, items: await itemsOf(items, ports.queue) };
  },
  ({ query: { function: name, group } }, { items }) => ({
    lettersOf: name === undefined ? "all" : [name],
    ...(group === undefined ? {} : { everyMs: HEADS_KEPT_MS }),
    // A key that lives again has changed its state.
    objects: items.flatMap(({ key }) => objectNamed(key)),
  }),
);

export const letter = defineRoute(
  {
    method: "GET",
    path: "/letters/{function}/{key}",
    summary: "Returns a dead letter: the failure, the objects read, the requests sent.",
    needs: ["letters", "queue"],
    answer: letterSchema,
  },
  async ({ viewer, params: { function: name = "", key = "" }, ports }, { commandLine = INSTALLED }) => {
    requireKey(viewer, key);
    const found = await letterAt(ports.letters, name, key);
    const head = await itemOf(headOf(found), ports.queue);
    const commands = ["show", "replay"].map(
      (verb) => `${commandLine.capstan} dlq ${verb} ${name} '${key}'${commandLine.queue}`,
    );
    return { head, letter: { ...found }, object: objectOf(key), commands };
  },
  ({ params: { function: name = "", key = "" } }) => ({ lettersOf: [name], objects: objectNamed(key) }),
);

function objectNamed(key: string): readonly string[] {
  const parts = parseKey(key);
  return parts === undefined ? [] : [workloadCluster(parts)];
}

/** Returns the place as `allHeads` orders them. */
function placeOf({ function: name, key, deadSince }: DeadLetterHead): Cursor {
  return { score: 0, member: `${deadSince} ${name} ${key}` };
}

/** Returns a letter; throws the Problem that there is none. */
export async function letterAt(
  source: Pick<NonNullable<Ports["letters"]>, "get">,
  name: string,
  key: string,
): Promise<DeadLetter> {
  const found = await source.get({ function: name, key });
  if (found !== undefined) return found;
  const message = "this key has no dead letter: it was never written, was dropped, or is older than 14 days";
  throw problem("notFound", message, "open the list of dead letters");
}

function itemsOf(
  heads: readonly DeadLetterHead[],
  queue: NonNullable<Ports["queue"]>,
): Promise<readonly LetterItem[]> {
  return Promise.all(heads.map((head) => itemOf(head, queue)));
}

/** A letter as it was seen may be of a key that lives again. */
async function itemOf(head: DeadLetterHead, queue: NonNullable<Ports["queue"]>): Promise<LetterItem> {
  const { function: name, key, reason, error, deadSince, times } = head;
  return {
    function: name,
    key,
    state: letterStateOf(head, await queue.keyState(name, key)),
    reason,
    error: `${error.reason}: ${error.message}`,
    deadSince,
    times,
    recorded: true,
  };
}
