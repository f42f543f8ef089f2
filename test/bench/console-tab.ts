import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { counted } from "../../infra/console/page/text/amounts.ts";
import { round } from "./capstan-process.ts";
import { LARGE } from "./console-fleet.ts";
import { median } from "./rounds.ts";

const VIEWPORT = { width: 1280, height: 800 } as const;
const LARGE_VISITS = 5;
/** An explanation is kept for 2 s. */
const FORGOTTEN_MS = 3_000;
const WORDS = ["4217", "0930", "7358", "2604", "9182", "5071", "3846", "6495", "1523", "8769"];
/** The browser reports no shorter tasks. */
const LONG_TASK_MS = 50;

/** Of the first visit to a page. Bytes as they were transferred. */
export interface VisitTimes {
  readonly paintMs: number;
  /** NaN for a page that has no rows as the console has them. */
  readonly rowsMs: number;
  readonly fileBytes: number;
  readonly bytes: number;
}

/** Members that `test/browser/page-times.ts` adds to a page. */
export interface Timed {
  readonly times: {
    readonly rowsAtMs: number | undefined;
    readonly longTasksMs: number[];
    visit(): VisitTimes;
    nodes(): number;
    toEnd(): void;
    awaitMatching(text: string): void;
    awaitOutline(): void;
    shown(): Promise<number>;
  };
}

/** A tab that shows the fleet. */
export interface Tab extends AsyncDisposable {
  readonly page: Page;
  /** Longest task so far in ms, at least 50. */
  longestTaskMs(): Promise<number>;
  memory(): Promise<TabMemory>;
  /** Elements in the document at the end of its lists. */
  nodes(): Promise<number>;
}

export interface TabMemory {
  /** Private memory of the process of the tab, as the task manager of the browser shows it. */
  readonly privateMiB: number;
  /** Live objects of the page after a collection. */
  readonly heapMiB: number;
}

/** Opens the link in a context of its own and waits for the rows of the fleet. */
export async function openTab(browser: Browser, link: string): Promise<Tab> {
  const { context, page } = await openTimedPage(browser);
  await page.goto(link);
  await untilRows(page);
  return {
    page,
    longestTaskMs: async () =>
      Math.round(
        Math.max(
          LONG_TASK_MS,
          ...(await page.evaluate(() => (globalThis as unknown as Timed).times.longTasksMs)),
        ),
      ),
    nodes: async () => {
      await page.evaluate(() => (globalThis as unknown as Timed).times.toEnd());
      return page.evaluate(() => (globalThis as unknown as Timed).times.nodes());
    },
    memory: () => memoryOf(browser, context, page),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** Opens an empty page, in a context of its own, that will be measured from within. */
export async function openTimedPage(browser: Browser) {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const page = await context.newPage();
  // Its types are those of a browser, so it is not imported.
  const measuring = await readFile(new URL("../browser/page-times.ts", import.meta.url), "utf8");
  await page.addInitScript({ content: stripTypeScriptTypes(measuring) });
  return { context, page, [Symbol.asyncDispose]: () => context.close() };
}

/** Resolves once the fleet has rows. */
export async function untilRows(page: Page): Promise<void> {
  await page.waitForFunction(() => (globalThis as unknown as Timed).times.rowsAtMs !== undefined);
}

async function memoryOf(browser: Browser, context: BrowserContext, page: Page): Promise<TabMemory> {
  const privateMiB = await largestRendererMiB(browser);
  const session = await context.newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return { privateMiB, heapMiB: round(usedSize / 2 ** 20, 1) };
}

/** The tab: beside it the browser keeps an empty renderer in reserve. */
async function largestRendererMiB(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  const sizes = await Promise.all(
    renderers.map(async ({ id }) => {
      const status = await readFile(`/proc/${id}/status`, "utf8");
      return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
    }),
  );
  return Math.round(Math.max(...sizes));
}

/** From a key in the filter of the fleet until its rows are painted, of ten words. `totalOf` asks the API. */
export async function filterKeys(
  { page }: Tab,
  digits: number,
  totalOf: (text: string) => Promise<number>,
): Promise<{ readonly p50Ms: number; readonly p95Ms: number }> {
  const found: number[] = [];
  const field = page.getByRole("searchbox");
  for (const word of WORDS.map((each) => each.slice(0, digits))) {
    await field.fill("c-");
    for (let typed = 1; typed <= word.length; typed += 1) {
      const wanted = counted(await totalOf(`c-${word.slice(0, typed)}`), "Cluster");
      await field.focus();
      await page.evaluate((text) => (globalThis as unknown as Timed).times.awaitMatching(text), wanted);
      await page.keyboard.press(word[typed - 1] ?? "");
      found.push(await shownIn(page));
    }
  }
  const sorted = found.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN);
  return { p50Ms: at(0.5), p95Ms: at(0.95) };
}

/** From the click on the Cluster of 1,000 Machines until its rows are painted: median, each time explained again. */
export async function openLarge(tab: Tab): Promise<{ readonly ms: number; readonly nodes: number }> {
  const { page } = tab;
  const found: number[] = [];
  let nodes = 0;
  await page.getByRole("searchbox").fill(LARGE.name);
  for (let visit = 0; visit < LARGE_VISITS; visit += 1) {
    const link = page.getByRole("grid").getByRole("link", { name: LARGE.name });
    await link.waitFor();
    await new Promise((resolve) => setTimeout(resolve, FORGOTTEN_MS));
    await page.evaluate(() => (globalThis as unknown as Timed).times.awaitOutline());
    await link.click();
    found.push(await shownIn(page));
    nodes = Math.max(nodes, await tab.nodes());
    await page.goBack();
  }
  return { ms: Math.round(median(found)), nodes };
}

function shownIn(page: Page): Promise<number> {
  return page.evaluate(() => (globalThis as unknown as Timed).times.shown());
}
