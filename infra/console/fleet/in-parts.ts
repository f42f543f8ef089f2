import type { Clock } from "../../../shared/runtime/ports.ts";
import { createTimeSlices } from "../../kube/time-slices.ts";

/** Enough for a store that is reached over a network. */
const AT_ONCE = 50;

/** Maps items, 50 at once, and lets others have their turns between them. */
export async function inParts<Item, Result>(
  items: readonly Item[],
  clock: Clock,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const turn = createTimeSlices(clock);
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
    await turn();
  }
  return results;
}
