import type { DeadLetterHead } from "../../../shared/runtime/letters/dead-letter.ts";
import type { DeadLetters, LetterPage } from "../../../shared/runtime/letters/dead-letters-port.ts";
import { inOrder } from "./letter-map.ts";

const HEADS_AT_ONCE = 1_000;

interface Selection {
  /** The function; default: all. */
  readonly function?: string | undefined;
  /** No further page is read once there are so many. Default: all. */
  readonly most?: number | undefined;
}

/** Returns the heads of letters, the longest dead first, without a write. */
export async function allHeads(
  deadLetters: Pick<DeadLetters, "page">,
  { function: functionName, most = Number.POSITIVE_INFINITY }: Selection = {},
): Promise<readonly DeadLetterHead[]> {
  const heads = new Map<string, DeadLetterHead>();
  let page: LetterPage | undefined;
  do {
    page = await deadLetters.page({ function: functionName, limit: HEADS_AT_ONCE, after: page?.next });
    // A letter that is replaced meanwhile comes twice.
    for (const head of page.items) heads.set(`${head.function} ${head.key}`, head);
  } while (page.next !== undefined && heads.size < most);
  return inOrder([...heads.values()]);
}
