import type { Browser, Page } from "playwright-core";
import * as z from "zod";

/** Says which of the browser's processes is the page's, and which of its threads runs the script. */
const MARK = "capstan-page";

/** An event of the browser's trace: `tdur` is the CPU of its thread, in µs. */
const eventSchema = z.looseObject({
  name: z.string(),
  ph: z.string(),
  pid: z.number(),
  tid: z.number(),
  tdur: z.number().optional(),
});
const traceSchema = z.looseObject({ traceEvents: z.array(eventSchema) });

/**
 * Returns the CPU in ms of the longest task in the page while `act` runs. The browser's own entries of long tasks are
 * wall time: on a machine that it shares with the server they are mostly time in which the task did not run.
 */
export async function longestTaskCpuMs(
  browser: Browser,
  page: Page,
  act: () => Promise<void>,
): Promise<number> {
  await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing"] });
  await act();
  await page.evaluate((mark) => performance.mark(mark), MARK);
  const trace: unknown = JSON.parse((await browser.stopTracing()).toString());
  const { traceEvents } = traceSchema.parse(trace);
  const thread = traceEvents.find(({ name }) => name === MARK);
  const tasks = traceEvents.filter(
    ({ ph, pid, tid }) => ph === "X" && pid === thread?.pid && tid === thread.tid,
  );
  if (tasks.length === 0) throw new Error("the browser has traced no task of the page");
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}
