import type { KeyPage, KeySelection } from "../../../shared/runtime/queue/queue-reader.ts";
import {
  type Cursor,
  checkPageLimit,
  compareCursors,
  formatCursor,
  parseCursor,
} from "../../platform/cursor.ts";
import { MAX_PAGE } from "../limits.ts";
import { keyStateOf } from "./ledger-depth.ts";
import type { Entry } from "./ledger-entries.ts";
import { tenantOfKey } from "./tenant-lines.ts";

/** Ready keys of class resync come behind all others, those that have aged last, as in `lua/ledger.lua`. */
const [RESYNC_SCORE, AGED_SCORE] = [2 ** 45, 2 ** 46];

/** Returns a page of the keys in one state. */
export function keyPage(entries: readonly Entry[], selection: KeySelection): KeyPage {
  const { state, tenant, limit, after } = selection;
  checkPageLimit(limit, MAX_PAGE);
  const from = after === undefined ? undefined : parseCursor(after);
  const places = entries
    .filter((entry) => entry.state === state && (tenant === undefined || tenantOfKey(entry.key) === tenant))
    .map((entry) => ({ entry, score: scoreOf(entry), member: entry.key }))
    .filter((place) => from === undefined || compareCursors(place, from) > 0)
    .sort(compareCursors);
  const shown = places.slice(0, limit);
  const end: Cursor | undefined = places.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(({ entry }) => ({ key: entry.key, ...keyStateOf(entry) })),
    ...(end === undefined ? {} : { next: formatCursor(end) }),
  };
}

function scoreOf({ state, wakeAt = 0, readyAt = 0, class: wanted, line }: Entry): number {
  if (state !== "ready") return wakeAt;
  return readyAt + (wanted === "live" ? 0 : line === "live" ? AGED_SCORE : RESYNC_SCORE);
}
