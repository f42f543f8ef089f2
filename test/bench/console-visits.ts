import { setTimeout } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import type { BullBoard } from "./bull-board.ts";
import { round } from "./capstan-process.ts";
import { openTimedPage, type Timed, untilRows, type VisitTimes } from "./console-tab.ts";
import { longestTaskCpuMs } from "./longest-task.ts";
import { median } from "./rounds.ts";

const VISITS = 7;
/** Work that a page does after its first rows belongs to the visit. */
const SETTLE_MS = 2_000;

interface Visit extends VisitTimes {
  readonly taskCpuMs: number;
}

interface Contender {
  readonly link: string;
  readonly until: (page: Page) => Promise<void>;
}

/**
 * First visits to the console and to bull-board by turns, each in a context of its own: medians, and of all visits the
 * task that took most CPU. `kib`: transferred in all, with headers.
 */
export async function firstVisits(browser: Browser, link: string, board: BullBoard) {
  const own = { link, until: untilRows };
  const bullBoard = {
    link: board.link,
    until: async (page: Page) => await page.locator('a[href*="/queue/"]').first().waitFor(),
  };
  const visits: { readonly own: Visit; readonly bullBoard: Visit }[] = [];
  for (let turn = 0; turn < VISITS; turn += 1) {
    visits.push({ own: await visit(browser, own), bullBoard: await visit(browser, bullBoard) });
  }
  const { rowsMs, ...ofBoard } = summaryOf(visits.map((one) => one.bullBoard));
  return { ...summaryOf(visits.map((one) => one.own)), bullBoard: ofBoard };
}

async function visit(browser: Browser, { link, until }: Contender): Promise<Visit> {
  await using timed = await openTimedPage(browser);
  const { page } = timed;
  const taskCpuMs = await longestTaskCpuMs(browser, page, async () => {
    await page.goto(link);
    await until(page);
    await setTimeout(SETTLE_MS);
  });
  return { ...(await page.evaluate(() => (globalThis as unknown as Timed).times.visit())), taskCpuMs };
}

function summaryOf(visits: readonly Visit[]) {
  const middle = (of: keyof Visit) => median(visits.map((one) => one[of]));
  return {
    paintMs: Math.round(middle("paintMs")),
    rowsMs: Math.round(middle("rowsMs")),
    fileKiB: round(middle("fileBytes") / 1_024, 1),
    kib: round(middle("bytes") / 1_024, 1),
    taskCpuMs: Math.round(Math.max(...visits.map(({ taskCpuMs }) => taskCpuMs))),
  };
}
