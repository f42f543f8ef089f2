import { groupLetters, groupPlaceOf } from "../../queue/letters/letter-groups.ts";
import { letterGroupsQuerySchema, letterGroupsSchema } from "../api/letters.ts";
import { HEADS_KEPT_MS } from "../sources/letter-heads.ts";
import { pageInMemory } from "./full-page.ts";
import { seesKey } from "./keys.ts";
import { defineRoute } from "./route.ts";

export const letterGroups = defineRoute(
  {
    method: "GET",
    path: "/letter-groups",
    summary: "Returns the dead letters by function and error, those with the most dead keys first.",
    needs: ["heads"],
    query: letterGroupsQuerySchema,
    answer: letterGroupsSchema,
  },
  async ({ viewer, query: { function: name, limit, next }, ports }) => {
    const heads = await ports.heads();
    const seen = heads.filter(
      (head) => head.function === (name ?? head.function) && seesKey(viewer, head.key),
    );
    const { items, ungrouped } = await groupLetters(seen);
    return { ...pageInMemory(items, groupPlaceOf, { limit, after: next }), ungrouped };
  },
  ({ query: { function: name } }) => ({
    lettersOf: name === undefined ? "all" : [name],
    // Keys that live again change no letter.
    everyMs: HEADS_KEPT_MS,
  }),
);
