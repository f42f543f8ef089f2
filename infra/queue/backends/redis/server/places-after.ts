import { type Cursor, compareCursors } from "../../../../platform/cursor.ts";

/** Members in one answer: Redis holds up all other clients meanwhile. */
const READ_AT_ONCE = 1_000;

/** The next `count` places of a sorted set; `from` is where the page before has ended. */
export interface NextPlaces {
  readonly index: string;
  readonly from: Cursor | undefined;
  readonly count: number;
}

/** A Redis, or what stands in for one. */
export interface SortedSets {
  zrangebyscore(
    index: string,
    min: string | number,
    max: string,
    withScores: "WITHSCORES",
    limit: "LIMIT",
    offset: number,
    count: number,
  ): Promise<string[]>;
}

/** Reads the next places. Many members may have one score: Redis can only skip them by their number. */
export async function placesAfter(
  redis: SortedSets,
  { index, from, count }: NextPlaces,
): Promise<readonly Cursor[]> {
  const first = from?.score ?? "-inf";
  const found: Cursor[] = [];
  for (let offset = 0; ; offset += READ_AT_ONCE) {
    const texts = await redis.zrangebyscore(
      index,
      first,
      "+inf",
      "WITHSCORES",
      "LIMIT",
      offset,
      READ_AT_ONCE,
    );
    for (let at = 0; at < texts.length && found.length < count; at += 2) {
      const place = { member: texts[at] ?? "", score: Number(texts[at + 1]) };
      if (from === undefined || compareCursors(place, from) > 0) found.push(place);
    }
    if (found.length === count || texts.length < 2 * READ_AT_ONCE) return found;
  }
}
