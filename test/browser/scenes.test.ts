import type { Locator } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { eventually, HANG_MS } from "../support/eventually.ts";
import { describeWith } from "../support/requires.ts";
import { chromiumMissing } from "./chromium.ts";
import { SCENES } from "./scenes/all.ts";
import { startSetting } from "./setting.ts";
import { playScene, statesOf, type Visit, violations, visit, WIDE } from "./visit.ts";

/** Rules whose answer depends on the width of the screen. */
const NARROW = ["color-contrast", "scrollable-region-focusable", "target-size", "link-in-text-block"];

/** Each change of a function gives all later runs of a played world other ids. */
const RUN_ID = /\brun=[0-9a-f]{16}\b/g;

/** Returns the accessibility tree once two looks agree: an answer and the line of a stream may both change the page. */
async function treeAtRest(root: Locator): Promise<string> {
  let last = "";
  return eventually(
    async () => {
      const before = last;
      last = await root.ariaSnapshot();
      return last === before && last;
    },
    { withinMs: HANG_MS, stepMs: 20 },
  );
}

/** Compares a state with its snapshot and looks for faults, in light, in dark and on a narrow screen. */
async function check({ page }: Visit, name: string, root: Locator): Promise<void> {
  const snapshot = new URL(`snapshots/${name}.yaml`, import.meta.url).pathname;
  const tree = (await treeAtRest(root)).replaceAll(RUN_ID, "run=<id>");
  await expect(tree).toMatchFileSnapshot(snapshot);
  expect(await page.locator("*").count(), "elements of the page").toBeLessThanOrEqual(1_500);
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await violations(page, ["color-contrast"])).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  expect(await violations(page, NARROW)).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(WIDE);
}

describeWith(chromiumMissing)("each state of a page", () => {
  const setting = startSetting();
  let visited: Visit;
  beforeAll(async () => {
    visited = await visit(setting, "/");
  });

  it.each(SCENES)(
    "$name is as its snapshot; axe finds nothing in light, in dark and at 320 px; no complaint; actions name what was shown",
    async (scene) => {
      visited.complaints.length = 0;
      await playScene(visited, setting.server, scene);
      for await (const { name, root } of statesOf(visited, setting.server, scene)) {
        await check(visited, name, root);
      }
      expect(setting.server.sent()).toEqual(scene.sends ?? []);
      expect(visited.complaints).toEqual([]);
    },
  );
});
