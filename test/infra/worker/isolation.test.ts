import { describe, expect, it } from "vitest";
import { machinepoolNodes } from "../../../functions/machinepool/nodes.ts";
import { systemClock } from "../../../infra/platform/clock.ts";
import { createServer, type Server } from "../../../infra/platform/kube/client.ts";
import { createMemoryQueue } from "../../../infra/queue/backends/embedded/queue.ts";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import { startWorker } from "../../../infra/worker/worker.ts";
import { DEFAULT_QUEUE } from "../../../shared/function/backoff.ts";
import type { Clients } from "../../../shared/runtime/ports.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";
import { node } from "../../support/builders.ts";
import { eventually } from "../../support/eventually.ts";
import { json, type Reply, startScriptedServer } from "../../support/processes/scripted-server.ts";
import { silentLog } from "../../support/silent-log.ts";
import { storePools } from "../../support/stored-pools.ts";

const within = { withinMs: 5_000 };
const POOLS = 30;
const { concurrency, maxRunningPerTenant = 0 } = { ...DEFAULT_QUEUE, ...machinepoolNodes.spec.queue };
const blackHole: Reply = () => undefined;

describe("a worker", () => {
  it("serves a Cluster whose server answers beside one whose server swallows every request", async () => {
    await using store = createMemoryStore();
    await using queue = await createMemoryQueue({ clock: systemClock });
    const servers = new Map<string, Server>();
    const clients: Clients = {
      of(name, functionName) {
        const server = servers.get(name);
        if (server === undefined) throw new Error(`no server of ${name}`);
        return server.as(functionName);
      },
    };
    const holeKeys = await storePools(store, "hole", POOLS);
    const wellKeys = await storePools(store, "well", POOLS);
    const context = { store, clients, clock: systemClock, log: silentLog };
    await using _worker = await startWorker({ ...context, queue, owner: "w", functions: [machinepoolNodes] });
    // Closed before the worker, whose runs then end.
    await using hole = await startScriptedServer();
    await using well = await startScriptedServer();
    hole.others.push(...Array(POOLS).fill(blackHole));
    well.others.push(...Array(POOLS).fill(json(200, node("n", { metadata: { resourceVersion: "60" } }))));
    using holeServer = createServer({ server: hole.url }, { clock: systemClock });
    using wellServer = createServer({ server: well.url }, { clock: systemClock });
    servers.set("default/hole", holeServer).set("default/well", wellServer);
    const live = (key: Key) => ({ key, priority: "live" }) as const;

    await queue.enqueue("machinepool-nodes", holeKeys.map(live));
    await eventually(() => hole.requests.length === maxRunningPerTenant, within);
    await queue.enqueue("machinepool-nodes", wellKeys.map(live));
    await eventually(() => well.requests.length === POOLS, within);

    expect(maxRunningPerTenant).toBe(Math.max(1, Math.floor(concurrency / 4)));
    expect(hole.requests).toHaveLength(maxRunningPerTenant);
    // The last run of the Cluster that answers may still be ending.
    await eventually(async () => {
      const { running, ready } = await queue.depth("machinepool-nodes");
      return running === maxRunningPerTenant && ready === POOLS - maxRunningPerTenant;
    }, within);
  });
});
