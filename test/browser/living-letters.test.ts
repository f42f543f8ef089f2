import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFailed } from "vitest";
import type { LetterGroups } from "../../infra/console/api/letters.ts";
import { openClient } from "../support/console-client.ts";
import { eventually, HANG_MS } from "../support/eventually.ts";
import { runCli, startCli } from "../support/processes/cli.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";
import { chromiumMissing, startChromium } from "./chromium.ts";
import { consoleLink } from "./console-link.ts";

const WITHIN = { withinMs: 120_000, stepMs: 100 };
const dirOf = (name: string) => fileURLToPath(new URL(`../support/costs/${name}`, import.meta.url));
const FUNCTION = "pool-cost";
/** Pools with replicas are not free, with the fix either. */
const BROKEN = 2;
/** Letters by the word that the bug takes for a number, and how many of each are back when the person stops. */
const LETTERS = { gratis: { count: 200, stopAt: 100 }, free: { count: 120, stopAt: 30 } } as const;
type Word = keyof typeof LETTERS;

function poolsOf(cost: string, count: number): readonly string[] {
  return Array.from(
    { length: count },
    (_, at) => `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachinePool
metadata: { name: ${cost}-${at}, namespace: default, annotations: { test.capstan.dev/cost: "${cost}" } }
spec:
  clusterName: c1
  replicas: ${at < BROKEN ? 1 : 0}
  template:
    spec:
      clusterName: c1
      bootstrap: { dataSecretName: none }
      infrastructureRef: { apiGroup: infrastructure.sim.capstan.dev, kind: SimMachinePool, name: none }
`,
  );
}

/** How a person reaches what is on a page. */
interface Hand {
  openLetters(page: Page): Promise<void>;
  /** Opens the row of a list that holds this text. */
  openRow(page: Page, text: string): Promise<void>;
  /** Follows the link or presses the button that begins so. */
  press(page: Page, name: string): Promise<void>;
  /** Presses the button of the dialog, behind what was typed there. */
  confirm(page: Page): Promise<void>;
}

const byName = (page: Page, name: string) => {
  const main = page.locator("main");
  const begins = new RegExp(`^${name}`);
  return main
    .getByRole("button", { name: begins })
    .or(main.getByRole("link", { name: begins }))
    .first();
};
const rowWith = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text }).first();

const MOUSE: Hand = {
  openLetters: (page) => page.getByRole("link", { name: "Dead letters" }).click(),
  openRow: (page, text) => rowWith(page, text).getByRole("link").click(),
  press: (page, name) => byName(page, name).click(),
  confirm: (page) => page.getByRole("dialog").getByRole("button").first().click(),
};

/** More than a page has places to stop at. */
const MAX_STEPS = 100;

/** Presses a key until the text of what has the focus begins so, or holds the text. */
async function walk(page: Page, key: string, isThere: (text: string) => boolean): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const text = await page.evaluate(() => {
      const focused = document.activeElement;
      return focused?.matches("main, body") === false ? (focused.textContent?.trim() ?? "") : "";
    });
    if (isThere(text)) return page.keyboard.press("Enter");
    await page.keyboard.press(key);
  }
  throw new Error(`the key ${key} does not lead there`);
}

const KEYBOARD: Hand = {
  openLetters: async (page) => {
    await page.keyboard.press("g");
    await page.keyboard.press("d");
  },
  openRow: async (page, text) => {
    await rowWith(page, text).waitFor();
    await walk(page, "j", (focused) => focused.includes(text));
  },
  press: async (page, name) => {
    // A person sees in which direction it is: hundreds of rows may lie in the other one.
    const isAbove = await byName(page, name).evaluate((target) => {
      const position = document.activeElement?.compareDocumentPosition(target) ?? 0;
      return (position & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
    });
    await walk(page, isAbove ? "Shift+Tab" : "Tab", (focused) => focused.startsWith(name));
  },
  confirm: (page) => page.keyboard.press("Enter"),
};

/** Server, relay, worker and console are processes that share a Redis; the console has the mended function. */
interface World extends AsyncDisposable {
  /** Of the console. */
  readonly link: string;
  /** Arguments with which a command reaches the same server and queue. */
  readonly shared: readonly string[];
  /** Replaces the worker by one with the mended function. */
  deploy(): Promise<void>;
}

/** Starts a world of its own, in which all keys of pools with this word are dead. */
async function openWorld(word: Word): Promise<World> {
  const stack = new AsyncDisposableStack();
  try {
    const { count } = LETTERS[word];
    const dir = testFolder("letters");
    const [kubeconfig, manifests] = [join(dir, "kubeconfig"), join(dir, "pools.yaml")];
    // As many succeed as fail, so that the function is not slowed down for its failures.
    await writeFile(manifests, [...poolsOf("5", count), ...poolsOf(word, count)].join("---"));
    const redis = stack.use(await startRedis());
    const shared = ["--kubeconfig", kubeconfig, "--queue", redis.url];
    const roles = ["--roles", "apiserver", "relay", "--queue", redis.url, "--functions-dir", dirOf("broken")];
    const files = ["--write-kubeconfig", kubeconfig, "--quiet", "--log-level", "info", "-f", manifests];
    const up = stack.use(startCli(["up", ...roles, ...files]));
    onTestFailed(() => console.error(up.output().slice(-5_000)));
    // Until then a resync may come, which gives each dead key one run: the mended worker would need no person.
    await eventually(() => expect(up.output()).toContain("every watch has its first list"), WITHIN);
    const startWorker = (name: string) => startCli(["worker", ...shared, "--functions-dir", dirOf(name)]);
    let worker = startWorker("broken");
    stack.defer(() => worker[Symbol.asyncDispose]());
    const served = ["--address", "127.0.0.1:0", "--functions-dir", dirOf("mended"), "--actions"];
    const server = stack.use(startCli(["console", ...shared, ...served]));
    const link = await consoleLink(server);
    // A key that has not died yet would meet the mended worker, and succeed without a letter.
    const client = await openClient(link);
    await eventually(async () => {
      const { items } = await client.read<LetterGroups>("letter-groups");
      expect(items.map((group) => group.count)).toEqual([count]);
    }, WITHIN);
    return {
      link,
      shared,
      async deploy() {
        await worker[Symbol.asyncDispose]();
        worker = startWorker("mended");
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

describeWith(chromiumMissing ?? redisMissing())("a person with hundreds of dead letters of one bug", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());

  /** The newest bulk action of the page. */
  const newestJob = (page: Page) =>
    page.getByRole("region", { name: "Bulk actions" }).getByRole("listitem").first();

  /** How many keys it has put back so far; a resync may have been there first, and is not waited for. */
  const doneBy = async (page: Page): Promise<number> => {
    const text = (await newestJob(page).textContent()) ?? "";
    const [, requeued = 0] = /(\d+) requeued/.exec(text) ?? [];
    const [, changed = 0] = /(\d+) had changed/.exec(text) ?? [];
    return Number(requeued) + Number(changed);
  };

  /**
   * Tries the letters, deploys the fix, then puts back those that the fix mends. Returns the name of the person. On a
   * machine without time a send may fail, and the relay resyncs in doubt: such keys had changed.
   */
  const mend = async ({ link, deploy }: World, word: Word, hand: Hand): Promise<string> => {
    const { count, stopAt } = LETTERS[word];
    const mended = count - BROKEN;
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(HANG_MS);
    const page = await context.newPage();
    await page.goto(link);
    await page.getByRole("navigation", { name: "Pages" }).getByText("Dead letters").first().waitFor();
    await hand.openLetters(page);
    await page.getByRole("heading", { name: "Dead letters", level: 1 }).waitFor();
    const row = rowWith(page, `the cost ${word} of`);
    await row.filter({ has: page.getByRole("gridcell", { name: String(count), exact: true }) }).waitFor();
    await hand.openRow(page, `the cost ${word} of`);
    await page.getByText(`${count} letters with one error, all still dead`).first().waitFor();
    await hand.press(page, `Try ${count} letters`);
    await page.getByText(`${mended} would succeed, ${BROKEN} fail as before`).first().waitFor();
    await deploy();
    await hand.press(page, "Would succeed");
    await hand.press(page, "Requeue");
    await page.getByRole("dialog").getByText("Ten a second").first().waitFor();
    await page.keyboard.type(FUNCTION);
    await hand.confirm(page);
    await page
      .getByText(/^Started by /)
      .first()
      .waitFor();
    await eventually(async () => expect(await doneBy(page)).toBeGreaterThanOrEqual(stopAt), WITHIN);
    await hand.press(page, "Stop");
    await newestJob(page)
      .getByText(/Stopped: .* are left/)
      .first()
      .waitFor();
    await hand.press(page, "Continue");
    await newestJob(page)
      .getByText(/Done: \d+ requeued/)
      .first()
      .waitFor();
    expect(await doneBy(page)).toBe(mended);
    const [, person = ""] =
      /requeued by (.*), \S+ ago/.exec((await newestJob(page).textContent()) ?? "") ?? [];
    await page.getByText(`${count} letters with one error, ${BROKEN} still dead`).first().waitFor();
    await page.getByRole("region", { name: "Keys in the queue" }).getByText("0 ready, 0 running").waitFor();
    await context.close();
    return person;
  };

  it("tries all with the fix, deploys it and puts back what it mends; the history names the person", async () => {
    await using world = await openWorld("gratis");
    const person = await mend(world, "gratis", MOUSE);
    expect(person).not.toBe("");
    const where = [...world.shared, "--functions-dir", dirOf("mended")];
    // The first ten are put back as soon as the person starts.
    const { output } = await runCli("history", "machinepool", `gratis-${BROKEN}`, ...where);
    expect(output).toContain(`requeue by ${person}`);
    expect(output).toContain(`patch MachinePool default/gratis-${BROKEN}`);
    const groups = await runCli("dlq", "groups", "-o", "json", "--queue", world.shared.at(-1) ?? "");
    expect(JSON.parse(groups.output)).toMatchObject([{ count: LETTERS.gratis.count, dead: BROKEN }]);
  });

  it("does the same by the keyboard alone", async () => {
    await using world = await openWorld("free");
    await mend(world, "free", KEYBOARD);
  });
});
