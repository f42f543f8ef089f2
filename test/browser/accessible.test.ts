import { beforeAll, expect, it } from "vitest";
import { describeWith } from "../support/requires.ts";
import { chromiumMissing } from "./chromium.ts";
import { SCENES } from "./scenes/all.ts";
import { startSetting } from "./setting.ts";
import { playScene, statesOf, treeAtRest, type Visit, violations, visit, WIDE } from "./visit.ts";

/** Rules whose answer depends on the width of the screen. */
const NARROW = ["color-contrast", "scrollable-region-focusable", "target-size", "link-in-text-block"];

/** Looks for faults of a state at rest: in light, in dark and on a narrow screen. */
async function check({ page }: Visit): Promise<void> {
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

  it.each(SCENES)("$name: axe finds nothing in light, in dark and at 320 px", async (scene) => {
    await playScene(visited, setting.server, scene);
    for await (const { root } of statesOf(visited, setting.server, scene)) {
      await treeAtRest(root);
      await check(visited);
    }
  });
});
