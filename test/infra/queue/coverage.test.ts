import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

/** of queue.md 2. */
const NUMBERS = Array.from({ length: 20 }, (_, n) => `Q-${String(n + 1).padStart(2, "0")}`);

/** Files of a driver's tests; the suites that they call are looked up. */
const shared = (driver: string): readonly string[] =>
  ["", "-model", "-chaos", "-outages", "-faults"].map(
    (part) => `infra/queue/${driver}/${driver}${part}.test.ts`,
  );
const DRIVERS = {
  memory: ["infra/queue/memory.test.ts"],
  bullmq: shared("bullmq"),
  sqs: shared("sqs"),
};

const textOf = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), "utf8");

/** The names of the tests of a file and of the queue suites that it calls. */
async function testsIn(path: string): Promise<readonly string[]> {
  const text = await textOf(path);
  const suites = [...text.matchAll(/from "(?:\.\.\/)+(suites\/queue[a-z-]*\.ts)"/g)].map(
    ([, suite]) => suite,
  );
  const texts = [text, ...(await Promise.all(suites.map((suite) => textOf(String(suite)))))];
  return texts.flatMap((each) =>
    [...each.matchAll(/^\s*it\(\s*["`](.*?)["`],/gm)].map(([, name]) => String(name)),
  );
}

/** `Q-01 to: …` names the numbers 1 to 4 and 9. */
function numbersIn(name: string): readonly string[] {
  const [head = ""] = name.split(": ", 1);
  return [...head.matchAll(/Q-(\d\d)(?: to Q-(\d\d))?/g)].flatMap(([, first, last]) =>
    NUMBERS.slice(Number(first) - 1, Number(last ?? first)),
  );
}

describe("the tests of the queue", () => {
  it("name every Q-number on every driver", async () => {
    const table = new Map<string, readonly string[]>();
    for (const [driver, files] of Object.entries(DRIVERS)) {
      const names = (await Promise.all(files.map(testsIn))).flat();
      // Beside the sequences that check many at once, each has a test of its own.
      const own = names.filter((name) => numbersIn(name).length < 5);
      for (const number of NUMBERS) {
        table.set(
          `${number} ${driver}`,
          own.filter((name) => numbersIn(name).includes(number)),
        );
      }
    }
    expect(table.size).toBe(NUMBERS.length * Object.keys(DRIVERS).length);
    expect([...table].filter(([, names]) => names.length === 0).map(([cell]) => cell)).toEqual([]);
  });
});
