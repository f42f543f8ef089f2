import { describe, expect, it } from "vitest";
import { machinepoolAdopt } from "../../../functions/machinepool/adopt.ts";
import { machinepoolNodes } from "../../../functions/machinepool/nodes.ts";
import { createMemoryQueue } from "../../../infra/queue/backends/embedded/queue.ts";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import { createDelivery } from "../../../infra/relay/delivery/delivery.ts";
import { ConnectionRecord, FAILURES } from "../../../infra/relay/workload/connection-record.ts";
import { startWorker } from "../../../infra/worker/worker.ts";
import { MINUTE } from "../../../shared/function/backoff.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { virtualClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { recordingClients } from "../../support/recording-clients.ts";
import { silentLog } from "../../support/silent-log.ts";
import { storePools } from "../../support/stored-pools.ts";

const POOLS = 20;

/** The same function; every run leaves its object's name. */
function watched(fn: AnyFunction, ran: string[]): AnyFunction {
  return {
    spec: fn.spec,
    step: (object, context) => {
      ran.push(object.metadata.name);
      return fn.step(object, context);
    },
  };
}

describe("keys of a workload cluster that cannot be reached", () => {
  it("idle, count no attempt, and all come back with the connection, no others (Q-20, KR-19)", async () => {
    const clock = virtualClock();
    const nodesRan: string[] = [];
    const adoptRan: string[] = [];
    const failures: unknown[] = [];
    const functions = [watched(machinepoolNodes, nodesRan), watched(machinepoolAdopt, adoptRan)];
    await using store = createMemoryStore();
    await using queue = await createMemoryQueue({
      clock,
      noteFailure: async (run) => void failures.push(run),
    });
    const clients = recordingClients();
    const context = { store, clients, clock, log: silentLog };
    await using _worker = await startWorker({ ...context, queue, owner: "w", functions });
    const signal = new AbortController().signal;
    const delivery = createDelivery({ ...context, functions, queue, signal, onChange: () => undefined });
    void delivery.open();
    const depth = () => queue.depth("machinepool-nodes");
    const isIdle = async () => {
      const { ready, waiting, running, dead } = await depth();
      return ready + waiting + running + dead === 0;
    };

    const away = await storePools(store, "away", POOLS);
    await storePools(store, "well", POOLS);
    const of = { cluster: { namespace: "default", name: "away" }, uid: "uid-away" };
    const connection = new ConnectionRecord({ ...of, delivery, clock, log: silentLog });
    await connection.failing("unreachable", "default/away does not answer", FAILURES);
    await queue.enqueue(
      "machinepool-nodes",
      away.map((key) => ({ key, priority: "live" })),
    );
    await eventually(async () => nodesRan.length >= POOLS && (await isIdle()), { withinMs: 5_000, clock });
    nodesRan.length = 0;
    await clock.advance(60 * MINUTE);
    await connection.failing("unreachable", "default/away still does not answer", FAILURES);
    await clock.advance(60 * MINUTE);
    expect(nodesRan).toEqual([]);
    expect(await isIdle()).toBe(true);
    expect(clients.sent).toEqual([]);

    await connection.connected(true);
    await eventually(() => clients.sent.length === POOLS, { withinMs: 5_000, clock });
    const names = Array.from({ length: POOLS }, (_, n) => `away-p${n}`);
    expect(nodesRan).toHaveLength(POOLS);
    expect(new Set(nodesRan)).toEqual(new Set(names));
    expect(adoptRan).toEqual([]);
    expect(failures).toEqual([]);
    expect(await isIdle()).toBe(true);
  });
});
