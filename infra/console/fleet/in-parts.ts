import type { Clock } from "../../../shared/runtime/ports.ts";
import { createTimeSlices } from "../../platform/kube/time-slices.ts";

/** The number of reads at once: enough for a store that is reached over a network. */
const AT_ONCE = 50;

/** Maps items, 50 at once, and lets others have their turns between them. */
export async function inParts<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  clock: Clock,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const turn = createTimeSlices(clock);
  const results: Result[] = [];
  let part: Item[] = [];
  const finish = async (): Promise<void> => {
    results.push(...(await Promise.all(part.map(work))));
    part = [];
    await turn();
  };
  for await (const item of items) {
    part.push(item);
    if (part.length === AT_ONCE) await finish();
  }
  await finish();
  return results;
}
