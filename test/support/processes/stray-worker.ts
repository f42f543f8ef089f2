import { systemClock } from "../../../infra/platform/clock.ts";
import { createMemoryQueue } from "../../../infra/queue/backends/embedded/queue.ts";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import { catchStrayErrors } from "../../../infra/worker/stray-errors.ts";
import { createLog } from "../../../infra/worker/telemetry/log.ts";
import { startWorker } from "../../../infra/worker/worker.ts";
import { defineFunction } from "../../../shared/function/define-function.ts";
import { done } from "../../../shared/function/result.ts";
import { recordingClients } from "../recording-clients.ts";
import { openSharedQueue } from "../shared-queue.ts";
import { WIDGETS, Widget, widget } from "../widget.ts";

/**
 * A worker whose step leaves a timer and a promise behind that throw, for widgets of these names; prints the dead keys
 * and what was counted, then `alive`: `node stray-worker.ts <queue url>`.
 */
const [url = "memory"] = process.argv.slice(2);
const [clock, log] = [systemClock, createLog("warn")];
const NAMES = ["timer", "promise", "microtask", "late", "fine"];

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const LEAVE: { readonly [name: string]: () => Promise<void> } = {
  timer: async () => {
    setTimeout(() => {
      throw new TypeError("thrown by timer, password=c4n4ry");
    }, 10);
    await wait(60_000);
  },
  promise: async () => {
    void wait(10).then(() => {
      throw new RangeError("thrown by promise");
    });
    await wait(60_000);
  },
  microtask: async () => {
    queueMicrotask(() => {
      throw new SyntaxError("thrown by microtask");
    });
    await wait(60_000);
  },
  late: async () => {
    setTimeout(() => {
      throw new Error("thrown late");
    }, 10);
  },
};

const stray = defineFunction(
  {
    name: "widget-stray",
    summary: "Leaves something behind.",
    source: "own",
    reconciles: Widget,
    watches: [],
    owns: [],
    queue: { attempts: 1 },
  },
  async ({ metadata }) => {
    await LEAVE[metadata.name]?.();
    return { result: done };
  },
);

const noteFailure = async (): Promise<void> => undefined;
const queue =
  url === "memory"
    ? await createMemoryQueue({ clock })
    : await openSharedQueue({ url }, { clock, log, noteFailure });
const store = createMemoryStore();
await store.advance(WIDGETS, { ready: true, resourceVersion: "7" });
for (const name of NAMES) await store.put(WIDGETS, [widget({ name })]);
const counted: string[] = [];
const noteStrayError = (name = "other"): void => {
  counted.push(name);
};
const functions = [stray];
catchStrayErrors(log, noteStrayError);
await startWorker({
  functions,
  queue,
  store,
  clients: recordingClients(),
  clock,
  log,
  owner: "w",
});
const keys = NAMES.map((name) => `default/-|Widget|default/${name}`);
await queue.enqueue(
  "widget-stray",
  keys.map((key) => ({ key, priority: "live" })),
);
setTimeout(() => {
  throw new Error("thrown by a timer of no run");
}, 10);
while ((await queue.dead("widget-stray")).length < 3 || counted.length < 5) await wait(20);
const dead = (await queue.dead("widget-stray")).map(({ key, failure }) => `${key} ${failure.message}`);
const fine = await queue.keyState("widget-stray", keys.at(-1) ?? "");
process.stdout.write(JSON.stringify({ dead, counted, fine: fine ?? "idle" }));
process.exit(0);
