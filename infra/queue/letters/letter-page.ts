import type { LetterSelection } from "../../../shared/runtime/letters/dead-letters-port.ts";
import { type Cursor, checkPageLimit, formatCursor, parseCursor } from "../../platform/cursor.ts";

const MAX_PAGE = 1_000;

/** Where a letter stands among those of its function: when it was stored, and its key. */
interface LetterPlace extends Cursor {
  readonly function: string;
}

/** Returns the first places of a function behind `from`. */
type PlacesAfter = (
  functionName: string,
  from: Cursor | undefined,
  count: number,
) => Promise<readonly Cursor[]>;

interface LetterPlaces {
  readonly places: readonly LetterPlace[];
  readonly next?: string;
}

/** Returns a page of places: one function after the other, by name. */
export async function letterPlaces(
  { function: only, limit, after }: LetterSelection,
  names: readonly string[],
  placesAfter: PlacesAfter,
): Promise<LetterPlaces> {
  checkPageLimit(limit, MAX_PAGE);
  const from = after === undefined ? undefined : parsePlace(after);
  const first = from?.function ?? "";
  const asked = (only === undefined ? names : [only]).filter((name) => name >= first).toSorted(byName);
  const found: LetterPlace[] = [];
  for (const name of asked) {
    if (found.length > limit) break;
    const places = await placesAfter(name, name === first ? from : undefined, limit + 1 - found.length);
    found.push(...places.map((place) => ({ function: name, ...place })));
  }
  const places = found.slice(0, limit);
  const end = found.length > limit ? places.at(-1) : undefined;
  return { places, ...(end === undefined ? {} : { next: formatPlace(end) }) };
}

function byName(a: string, b: string): number {
  return a < b ? -1 : 1;
}

/** No name of a function, and no cursor, has a full stop. */
function formatPlace({ function: name, ...place }: LetterPlace): string {
  return `${name}.${formatCursor(place)}`;
}

function parsePlace(text: string): LetterPlace {
  const [name = "", rest = "", ...more] = text.split(".");
  return { function: name, ...parseCursor(more.length === 0 ? rest : "") };
}
