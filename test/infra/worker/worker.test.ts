import { describe, expect, it } from "vitest";
import { createMemoryQueue } from "../../../infra/queue/backends/embedded/queue.ts";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import { startWorker } from "../../../infra/worker/worker.ts";
import { defineFunction } from "../../../shared/function/define-function.ts";
import { done } from "../../../shared/function/result.ts";
import type { Queue, WorkOptions } from "../../../shared/runtime/queue/queue-port.ts";
import { virtualClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { recordingClients } from "../../support/recording-clients.ts";
import { silentLog } from "../../support/silent-log.ts";
import { WIDGET_KEY, WIDGETS, Widget, widget } from "../../support/widget.ts";

function grow(name: string) {
  return defineFunction(
    {
      name,
      summary: "Grows.",
      source: "own",
      reconciles: Widget,
      watches: [],
      owns: ["status.size"],
      queue: { concurrency: 3 },
    },
    async ({ status }) => ({ apply: { "status.size": (status?.size ?? 0) + 1 }, result: done }),
  );
}

describe("a worker", () => {
  it("runs the step of an enqueued key and sends what it decides", async () => {
    const clock = virtualClock();
    await using queue = await createMemoryQueue({ clock });
    await using store = createMemoryStore();
    await store.advance(WIDGETS, { ready: true, resourceVersion: "7" });
    await store.put(WIDGETS, [widget()]);
    const clients = recordingClients();
    const context = { store, clients, clock, log: silentLog };
    await using _worker = await startWorker({
      ...context,
      queue,
      owner: "w1",
      functions: [grow("widget-grow")],
    });
    await queue.enqueue("widget-grow", [{ key: WIDGET_KEY, priority: "live" }]);
    await eventually(() => clients.sent.length === 1, { withinMs: 5_000, clock });
    expect(clients.sent[0]).toMatchObject({
      verb: "apply",
      as: "widget-grow",
      body: { status: { size: 4 } },
    });
  });

  it("claims with the settings of each function and stops all of them side by side", async () => {
    const claims: (WorkOptions & { readonly name: string })[] = [];
    const stopped: string[] = [];
    let stopping = 0;
    const queue: Pick<Queue, "work"> = {
      work: async (name, options) => {
        claims.push({ name, ...options });
        return {
          [Symbol.asyncDispose]: async () => {
            stopping += 1;
            // Ends only when the others have begun to stop, too.
            while (stopping < 2) await Promise.resolve();
            stopped.push(name);
          },
        };
      },
    };
    const clock = virtualClock();
    const context = { store: createMemoryStore(), clients: recordingClients(), clock, log: silentLog };
    const functions = [grow("widget-grow"), grow("widget-shrink")];
    {
      await using _worker = await startWorker({ ...context, queue: queue as Queue, owner: "w1", functions });
    }
    const settings = { owner: "w1", concurrency: 3, attempts: 16, settleMs: 0, minIntervalMs: 0 };
    expect(claims).toEqual(functions.map(({ spec }) => ({ name: spec.name, ...settings })));
    expect(new Set(stopped)).toEqual(new Set(["widget-grow", "widget-shrink"]));
  });

  it("reports how many runs are finishing while it drains, and that it has stopped", async () => {
    const clock = virtualClock();
    await using queue = await createMemoryQueue({ clock });
    await using store = createMemoryStore();
    await store.advance(WIDGETS, { ready: true, resourceVersion: "7" });
    await store.put(WIDGETS, [widget()]);
    const hold = Promise.withResolvers<void>();
    const slow = defineFunction(
      { name: "widget-wait", summary: "Waits.", source: "own", reconciles: Widget, watches: [], owns: [] },
      async () => {
        await hold.promise;
        return { result: done };
      },
    );
    const lines: unknown[] = [];
    const log = {
      ...silentLog,
      info: (fields: object, message: string) => lines.push({ message, ...fields }),
    };
    const clients = recordingClients();
    const worker = await startWorker({ store, clients, clock, log, queue, owner: "w1", functions: [slow] });
    await queue.enqueue("widget-wait", [{ key: WIDGET_KEY, priority: "live" }]);
    await eventually(() => worker.status().running === 1, { withinMs: 5_000, clock });
    expect(worker.status()).toEqual({ running: 1, draining: false });

    const drained = worker[Symbol.asyncDispose]();
    expect(worker.status()).toEqual({ running: 1, draining: true });
    hold.resolve();
    await drained;
    expect(worker.status()).toEqual({ running: 0, draining: true });
    expect(lines).toEqual([
      { message: "the worker serves", owner: "w1", functions: ["widget-wait"] },
      { message: "the worker drains", owner: "w1", running: 1 },
      { message: "the worker has stopped", owner: "w1", running: 0 },
    ]);
  });
});
