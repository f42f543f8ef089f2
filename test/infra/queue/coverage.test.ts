import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

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

/** The rules that every driver keeps: the rows of the queue's README that name this test, as numbers. */
async function rulesOfEveryDriver(): Promise<readonly number[]> {
  const rows = await textOf("../infra/queue/README.md");
  return [...rows.matchAll(/^\| Q-(\d\d) \|.*`infra\/queue\/coverage`.*\|$/gm)].map(([, n]) => Number(n));
}

/** The names of the tests of a file and of the queue suites that it calls. */
async function testsIn(path: string): Promise<readonly string[]> {
  const text = await textOf(path);
  const suites = [...text.matchAll(/from "(?:\.\.\/)+(suites\/queue[a-z-]*\.ts)"/g)].map(
    ([, suite]) => suite,
  );
  const texts = [text, ...(await Promise.all(suites.map((suite) => textOf(String(suite)))))];
  for (const suite of texts.slice(1)) {
    const parts = [...suite.matchAll(/import \{ queue\w+Suite \} from "\.\/(queue-[a-z-]+\.ts)"/g)];
    texts.push(...(await Promise.all(parts.map(([, part]) => textOf(`suites/${part}`)))));
  }
  return texts.flatMap((each) =>
    [...each.matchAll(/^\s*it\(\s*["`](.*?)["`],/gm)].map(([, name]) => String(name)),
  );
}

/** `Q-01 to: …` names the numbers 1 to 4 and 9. */
function numbersIn(name: string): readonly number[] {
  const [head = ""] = name.split(": ", 1);
  return [...head.matchAll(/Q-(\d\d)(?: to Q-(\d\d))?/g)].flatMap(([, first, last]) => {
    const from = Number(first);
    return Array.from({ length: Number(last ?? first) - from + 1 }, (_, n) => from + n);
  });
}

describe("the tests of the queue", () => {
  it("name every rule of the queue on every driver", async () => {
    const rules = await rulesOfEveryDriver();
    const missing: string[] = [];
    for (const [driver, files] of Object.entries(DRIVERS)) {
      const names = (await Promise.all(files.map(testsIn))).flat();
      // Beside the sequences that check many at once, each has a test of its own.
      const own = new Set(
        names
          .map(numbersIn)
          .filter((numbers) => numbers.length < 5)
          .flat(),
      );
      missing.push(...rules.filter((rule) => !own.has(rule)).map((rule) => `${driver} Q-${rule}`));
    }
    expect(rules.length).toBeGreaterThanOrEqual(20);
    expect(missing).toEqual([]);
  });
});
