import { describe, expect, it } from "vitest";
import { REASONS } from "../../shared/api/reasons.ts";
import { sourcesIn } from "../support/sources.ts";

/** Where reasons are written down: each pattern captures an expression whose texts are reasons. */
const PLACES: readonly RegExp[] = [
  /\b(?:failureReason|reason|issue|unknown|good)\s*:\s*([^,;}]+)[,;}]/g,
  /\bcondition\(\s*[^,()]+,\s*[^,()]+,\s*([^,()]+)[,)]/g,
  /\b(?:failed|TerminalError)\(\s*([^,()]+),/g,
  /\b(?:normal|warning|notice)\(\s*("[^"]*")/g,
  /\bconst \w*(?:reason|Reason)\w* =\s*([^;]+);/g,
];
const TEXT = /"([A-Z][A-Za-z0-9]*)"/g;
/** Statuses stand beside reasons in choices such as `{ status, reason }`. */
const STATUSES = new Set(["True", "False", "Unknown"]);

function reasonsIn(code: string): ReadonlySet<string> {
  const expressions = PLACES.flatMap((place) =>
    [...code.matchAll(place)].map(([, expression = ""]) => expression),
  );
  const texts = expressions.flatMap((expression) =>
    [...expression.matchAll(TEXT)].map(([, text = ""]) => text),
  );
  return new Set(texts.filter((text) => !STATUSES.has(text)));
}

const sources = [...(await sourcesIn("functions")), ...(await sourcesIn("shared/rules"))];

describe("every reason that users see", () => {
  it("is in the table of reasons", () => {
    const unlisted = sources.flatMap(({ path, code }) =>
      [...reasonsIn(code)]
        .filter((reason) => !Object.hasOwn(REASONS, reason))
        .map((reason) => `${path}: ${reason}`),
    );
    expect(unlisted).toEqual([]);
  });

  it("is found wherever it is written down", () => {
    const code = `
      condition("Ready", "True", "A1"); condition(type, status, good ? "A2" : "A3", text);
      failed("B1", message); throw new TerminalError("B2", message);
      events: [{ type: "Warning", reason: "C1", message }], reasons: { issue: "D1", unknown: "D2", good: "D3" }`;
    expect(reasonsIn(code)).toEqual(new Set(["A1", "A2", "A3", "B1", "B2", "C1", "D1", "D2", "D3"]));
    expect(new Set(sources.flatMap((source) => [...reasonsIn(source.code)])).size).toBeGreaterThan(20);
  });
});
