import { expect, it } from "vitest";
import { Recovery } from "../../../../infra/relay/watch/recovery.ts";

it("lists more seldom in place of a watch while nothing changes, until the watch shows a change (KR-07)", () => {
  const recovery = new Recovery(() => 0.5);
  const idleAfterList = (newest: string) => {
    recovery.listed(newest);
    return recovery.idleMs(300);
  };
  expect(idleAfterList("105")).toBeUndefined();
  recovery.isMute();
  const seconds = ["105", "105", "105", "105", "106", "106"].map((newest) => idleAfterList(newest));
  expect(seconds).toEqual([30_000, 60_000, 120_000, 120_000, 30_000, 60_000]);
  // A sound server that has nothing to say sends a bookmark within two minutes.
  recovery.received("bookmark");
  expect(recovery.idleMs(300)).toBeUndefined();
  recovery.isMute();
  expect(idleAfterList("106")).toBe(30_000);
});
