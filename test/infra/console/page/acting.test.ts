import { expect, it } from "vitest";
import { openPage } from "../../../../infra/console/open-page.ts";
import { pathOf } from "../../../../infra/console/page/place/place.ts";
import { chromiumMissing, startChromium } from "../../../browser/chromium.ts";
import { confirm } from "../../../browser/scenes/confirm.ts";
import { GROW, keyOf, serveQueueConsole } from "../../../support/console-queue.ts";
import { eventually } from "../../../support/eventually.ts";
import { describeWith } from "../../../support/requires.ts";

const WITHIN = { withinMs: 30_000, stepMs: 50 };
const KEY = keyOf("a", "w1");

describeWith(chromiumMissing)("a person who acts", () => {
  it("at a real console: signs in by the link, requeues a dead letter by the keyboard, and sees the result", async () => {
    await using world = await serveQueueConsole({ dead: [KEY], page: openPage() });
    const browser = await startChromium();
    await using context = await browser.newContext();
    const page = await context.newPage();
    const { origin, hash } = new URL(world.link);
    await page.goto(`${origin}${pathOf("letters", GROW, KEY)}${hash}`);
    await page.getByRole("button", { name: "Requeue" }).press("Enter");
    await page.getByText("with all its attempts").waitFor();
    await confirm(page);
    await page.getByText("Requeued by ann").waitFor();
    expect(await world.queue.keyState(GROW, KEY)).toMatchObject({
      state: "ready",
      causes: [{ what: "requeue by ann" }],
    });
    await eventually(async () => {
      await world.clock.advance(1_000);
      expect(await page.getByText("revived: it waits for a run").isVisible()).toBe(true);
    }, WITHIN);
    await browser.close();
  });
});
