import { beforeAll, expect, it } from "vitest";
import { describeWith } from "../support/requires.ts";
import { chromiumMissing } from "./chromium.ts";
import { SCENES } from "./scenes/all.ts";
import { startSetting } from "./setting.ts";
import { playScene, statesOf, treeAtRest, type Visit, visit } from "./visit.ts";

/** Each change of a function gives all later runs of a played world other ids, and its objects other names and uids. */
const MADE: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{16}\b/g, "<id>"],
  [/-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "-xxxxx"],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<uid>"],
];

describeWith(chromiumMissing)("each state of a page", () => {
  const setting = startSetting();
  let visited: Visit;
  beforeAll(async () => {
    visited = await visit(setting, "/");
  });

  it.each(SCENES)("$name is as its snapshot; no complaint; actions name what was shown", async (scene) => {
    visited.complaints.length = 0;
    await playScene(visited, setting.server, scene);
    for await (const { name, root } of statesOf(visited, setting.server, scene)) {
      const snapshot = new URL(`snapshots/${name}.yaml`, import.meta.url).pathname;
      const tree = MADE.reduce((text, made) => text.replaceAll(...made), await treeAtRest(root));
      await expect(tree).toMatchFileSnapshot(snapshot);
      expect(await visited.page.locator("*").count(), "elements of the page").toBeLessThanOrEqual(1_500);
    }
    expect(setting.server.sent()).toEqual(scene.sends ?? []);
    expect(visited.complaints).toEqual([]);
  });
});
