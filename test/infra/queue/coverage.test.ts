import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { namedBy, rulesOf } from "../../support/rules.ts";

/** Files of a driver's tests; the suites that they call are looked up. */
const shared = (driver: string): readonly string[] =>
  ["", "-model", "-chaos", "-outages", "-faults"].map(
    (part) => `infra/queue/backends/${driver}${part}.test.ts`,
  );
const DRIVERS = {
  memory: ["infra/queue/backends/embedded/queue.test.ts"],
  bullmq: shared("redis/bullmq/bullmq"),
  sqs: shared("sqs/sqs"),
};

const textOf = (path: string): Promise<string> => readFile(new URL(`../../${path}`, import.meta.url), "utf8");

/** The ids in the first list of the queue's README. */
async function rulesOfEveryDriver(): Promise<readonly string[]> {
  const page = await textOf("../infra/queue/README.md");
  const [list = ""] = page.split(/^###? /m).filter((part) => part.startsWith("On every driver\n"));
  return rulesOf({ path: "infra/queue/README.md", text: list }).map(({ id }) => id);
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

describe("the tests of the queue", () => {
  it("name every rule of the queue on every driver", async () => {
    const rules = await rulesOfEveryDriver();
    const missing: string[] = [];
    for (const [driver, files] of Object.entries(DRIVERS)) {
      const names = (await Promise.all(files.map(testsIn))).flat();
      // Beside the sequences that check many at once, each has a test of its own.
      const own = new Set(
        names
          .map(namedBy)
          .filter((ids) => ids.length < 5)
          .flat(),
      );
      missing.push(...rules.filter((rule) => !own.has(rule)).map((rule) => `${driver} ${rule}`));
    }
    expect(rules.length).toBeGreaterThanOrEqual(20);
    expect(missing).toEqual([]);
  });
});
