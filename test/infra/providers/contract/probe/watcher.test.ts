import { expect, it } from "vitest";
import { systemClock } from "../../../../../infra/platform/clock.ts";
import { createServer } from "../../../../../infra/platform/kube/client.ts";
import { SimCluster } from "../../../../../infra/playground/api/sim-cluster.ts";
import type { Scratch } from "../../../../../infra/providers/contract/probe/scratch.ts";
import { follow, lookUntil, Watcher } from "../../../../../infra/providers/contract/probe/watcher.ts";
import type { Kind, KubeObject } from "../../../../../shared/api/kinds.ts";
import { acting, startScratch } from "../../../../support/contract/scratch.ts";
import { eventually } from "../../../../support/eventually.ts";
import {
  failing,
  holding,
  listing,
  type ScriptedServer,
  startScriptedServer,
  streaming,
} from "../../../../support/processes/scripted-server.ts";
import { Widget, widget } from "../../../../support/widget.ts";

function version(resourceVersion: string): KubeObject {
  return widget({ resourceVersion });
}

function line(type: string, resourceVersion: string): string {
  return `${JSON.stringify({ type, object: version(resourceVersion) })}\n`;
}

/** Follows Widgets on a server that follows a script; the versions that were seen, in order. */
function following(scripted: ScriptedServer) {
  const stop = new AbortController();
  const server = createServer({ server: scripted.url }, { clock: systemClock });
  const scratch: Pick<Scratch, "client" | "namespace"> = {
    client: server.as("test"),
    namespace: "default",
  };
  const versions: (string | undefined)[] = [];
  const opened = follow(scratch, [Widget as Kind], {
    seen: ({ metadata }) => versions.push(metadata.resourceVersion),
    signal: stop.signal,
  });
  return {
    opened,
    versions,
    [Symbol.dispose]() {
      stop.abort();
      server[Symbol.dispose]();
    },
  };
}

it("sees each version once, in order, from the list on", async () => {
  await using scripted = await startScriptedServer();
  scripted.lists.push(listing([version("5")], "7"));
  scripted.watches.push(holding(line("MODIFIED", "8"), line("DELETED", "9"), line("ADDED", "10")));
  using followed = following(scripted);
  await followed.opened;
  await eventually(() => expect(followed.versions).toEqual(["5", "8", "10"]), WITHIN);
  const watch = scripted.requests.find(({ query }) => query.get("watch") === "true");
  expect(watch?.query.get("resourceVersion")).toBe("7");
});

it("lists again after a watch that has ended or broken", async () => {
  await using scripted = await startScriptedServer();
  scripted.lists.push(listing([], "7"), listing([version("20")], "20"));
  scripted.watches.push(streaming(line("ADDED", "8")), failing(410, "Expired"));
  using followed = following(scripted);
  await followed.opened;
  await eventually(() => expect(followed.versions).toEqual(["8", "20"]), WITHIN);
});

it("fails where the server refuses the first watch, and not for a kind that is not served", async () => {
  await using scripted = await startScriptedServer();
  scripted.watches.push(failing(403, "Forbidden"));
  using refused = following(scripted);
  await expect(refused.opened).rejects.toThrow("Forbidden happened");
  scripted.lists.push(failing(404, "NotFound"));
  using missing = following(scripted);
  await missing.opened;
  expect(missing.versions).toEqual([]);
});

/** A clock that each look moves on by a second. */
function looks(...seen: readonly number[]) {
  let count = 0;
  const look = async () => seen[Math.min(count++, seen.length - 1)] ?? 0;
  return { look, clock: { now: () => new Date(count * 1_000) } };
}

it("ends once something holds", async () => {
  const { look, clock } = looks(1, 2, 3);
  expect(await lookUntil(look, (seen) => seen === 2, { clock, limitMs: 60_000 })).toEqual({
    seen: true,
    last: 2,
  });
});

it("ends with the newest look once the limit is over, but looks at least once", async () => {
  const { look, clock } = looks(1, 2, 3);
  const never = () => false;
  expect(await lookUntil(look, never, { clock, limitMs: 2_000 })).toEqual({ seen: false, last: 2 });
  expect(await lookUntil(look, never, { clock, limitMs: 0 })).toEqual({ seen: false, last: 3 });
});

it("is ended by a signal", async () => {
  const { look, clock } = looks(1);
  const stop = new AbortController();
  const waiting = lookUntil(look, () => false, { clock, limitMs: 3_600_000, signal: stop.signal });
  stop.abort();
  await expect(waiting).rejects.toThrow("abort");
});

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
