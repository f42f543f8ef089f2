import { REASONS } from "../../../shared/api/reasons.ts";
import type { Source } from "../../support/sources.ts";

/** Where reasons are written down: each pattern captures an expression whose texts are reasons. */
const PLACES: readonly RegExp[] = [
  /\b(?:failureReason|reason|issue|unknown|good|event)\s*:\s*([^,;}]+)[,;}]/g,
  /\bcondition\(\s*[^,()]+,\s*[^,()]+,\s*([^,()]+)[,)]/g,
  /\b(?:failed|TerminalError)\(\s*([^,()]+),/g,
  /\b(?:normal|warning|notice)\(\s*("[^"]*")/g,
  /\bconst \w*(?:reason|Reason)\w* =\s*([^;]+);/g,
];
const TEXT = /"([A-Z][A-Za-z0-9]*)"/g;
/** Statuses stand beside reasons in choices such as `{ status, reason }`. */
const STATUSES = new Set(["True", "False", "Unknown"]);

/** Returns the reasons that a source writes down. */
export function reasonsIn(code: string): ReadonlySet<string> {
  const expressions = PLACES.flatMap((place) =>
    [...code.matchAll(place)].map(([, expression = ""]) => expression),
  );
  const texts = expressions.flatMap((expression) =>
    [...expression.matchAll(TEXT)].map(([, text = ""]) => text),
  );
  return new Set(texts.filter((text) => !STATUSES.has(text)));
}

/** Returns reasons that are not in the table of reasons. */
export function unlistedReasons(sources: readonly Source[]): readonly string[] {
  return sources.flatMap(({ path, code }) =>
    [...reasonsIn(code)]
      .filter((reason) => !Object.hasOwn(REASONS, reason))
      .map((reason) => `${path}: ${reason}`),
  );
}
