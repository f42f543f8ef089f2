import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWith } from "../support/requires.ts";
import { chromiumMissing, startChromium } from "./chromium.ts";
import { type SceneServer, startSceneServer } from "./scene-server.ts";
import { SCENES } from "./scenes/all.ts";
import { violations, visitScene } from "./visit.ts";

/** Rules whose answer depends on the width of the screen. */
const NARROW = ["color-contrast", "scrollable-region-focusable", "target-size", "link-in-text-block"];

describeWith(chromiumMissing)("each state of a page", () => {
  let browser: Browser;
  let server: SceneServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([startChromium(), startSceneServer()]);
  });
  afterAll(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
  });

  it.each(SCENES)(
    "W-702, W-111: $name is as its snapshot; axe finds nothing in light, in dark and at 320 px; no complaint",
    async (scene) => {
      await using visited = await visitScene(browser, server, scene);
      const { page, complaints } = visited;
      await expect(page.locator("body").ariaSnapshot()).resolves.toMatchFileSnapshot(
        new URL(`snapshots/${scene.name}.yaml`, import.meta.url).pathname,
      );
      expect(await page.locator("*").count(), "W-602").toBeLessThanOrEqual(1_500);
      expect(await violations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await violations(page, ["color-contrast"])).toEqual([]);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
      expect(await violations(page, NARROW)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );
});
