import { expect, it } from "vitest";
import { SimCluster } from "../../../../../infra/playground/api/sim-cluster.ts";
import { Watcher } from "../../../../../infra/providers/contract/probe/watcher.ts";
import { acting, startScratch } from "../../../../support/contract/scratch.ts";
import { eventually } from "../../../../support/eventually.ts";

const WITHIN = { withinMs: 10_000 };
const TITLE = "SimCluster c1";
const LABELS = { "cluster.x-k8s.io/cluster-name": "c1" };

function limits(signal = new AbortController().signal) {
  return { limitMs: 5_000, restMs: 400, signal };
}

it("remembers what an object was like between two looks, once for each change of its metadata", async () => {
  await using world = await startScratch();
  await world.add(SimCluster, "c1", { metadata: { labels: LABELS } });
  using watcher = new Watcher(world.scratch, limits());
  await watcher.follow();
  const change = (path: string, value: object) => world.write(SimCluster, "c1", [{ op: "add", path, value }]);
  await change("/spec/failureDomains", [{ name: "a" }]);
  await change("/metadata/labels", {});
  await change("/metadata/labels", LABELS);
  const labels = () => watcher.seen.get(TITLE)?.map(({ metadata }) => metadata.labels ?? {});
  await eventually(() => expect(labels()).toEqual([LABELS, {}, LABELS]), WITHIN);
});

it("waits until nothing changes, and not for ever for an object that flaps", async () => {
  await using world = await startScratch();
  await world.add(SimCluster, "c1");
  using watcher = new Watcher(world.scratch, limits());
  const quiet = await watcher.quiet();
  expect([...quiet.keys()]).toEqual([TITLE]);
  let count = 0;
  const flap = async (): Promise<void> => {
    count += 1;
    const value = [{ name: `d${count}` }];
    await world.write(SimCluster, "c1", [{ op: "add", path: "/spec/failureDomains", value }]);
  };
  await using _flapping = acting(flap);
  const flapping = await watcher.quiet();
  expect(flapping.get(TITLE)?.metadata.uid).toBe(quiet.get(TITLE)?.metadata.uid);
});

it("ends every wait with its signal", async () => {
  await using world = await startScratch();
  const stop = new AbortController();
  using watcher = new Watcher(world.scratch, limits(stop.signal));
  const waiting = watcher.until(() => false);
  stop.abort();
  await expect(waiting).rejects.toThrow("abort");
  await expect(watcher.look()).rejects.toThrow("abort");
});
