import type { KeyPage, KeyRow, QueueReader } from "../../shared/runtime/queue/queue-reader.ts";
import { MAX_PAGE } from "./limits.ts";

/** Returns the dead keys of a function, the longest dead first; there are at most 10,000. */
export async function deadKeys(queue: QueueReader, functionName: string): Promise<readonly KeyRow[]> {
  const rows: KeyRow[] = [];
  let page: KeyPage | undefined;
  do {
    page = await queue.keys(functionName, { state: "dead", limit: MAX_PAGE, after: page?.next });
    rows.push(...page.items);
  } while (page.next !== undefined);
  return rows.sort((a, b) => Number(a.since) - Number(b.since));
}
