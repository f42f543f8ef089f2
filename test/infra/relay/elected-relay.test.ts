import { describe, expect, it } from "vitest";
import { installCrds } from "../../../infra/cli/install-crds.ts";
import { systemClock } from "../../../infra/platform/clock.ts";
import { createServer } from "../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../infra/platform/kube/kubeconfig.ts";
import { startApiServer } from "../../../infra/playground/apiserver/entry.ts";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import { startElectedRelay } from "../../../infra/relay/elected-relay.ts";
import { Lease } from "../../../infra/relay/lease.ts";
import { leaseKey } from "../../../infra/relay/lease-name.ts";
import type { Relay } from "../../../infra/relay/relay.ts";
import { type Kind, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { defineFunction, watch } from "../../../shared/function/define-function.ts";
import { itself } from "../../../shared/function/mappings.ts";
import type { Queue } from "../../../shared/runtime/queue/queue-port.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { machinePool } from "../../support/builders.ts";
import { virtualClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { recordingLog } from "../../support/recording-log.ts";

const within = { withinMs: 15_000 };
const lease = leaseKey("kube-system", "capstan-relay");
const pools = defineFunction(
  {
    name: "machinepool-test",
    summary: "s",
    source: "own",
    reconciles: MachinePool,
    watches: [watch(MachinePool, ["spec.replicas"], itself)],
    owns: [],
  },
  async () => {
    throw new Error("not run here");
  },
);

async function world() {
  const stack = new AsyncDisposableStack();
  const embedded = await startApiServer({ name: "test", recordRequests: true });
  stack.defer(() => embedded.stop());
  const access = parseKubeconfig(embedded.kubeconfig());
  const server = stack.use(createServer(access, { clock: systemClock }));
  await installCrds(server.as("test"), systemClock);
  const clock = virtualClock();
  const store = stack.use(createMemoryStore());
  const queue = {
    enqueue: async () => undefined,
    epoch: async () => "1",
    dead: async () => [],
  } as unknown as Queue;
  const { log, lines } = recordingLog();
  const shared = { functions: [pools], store, queue, clock, log, random: () => 0, lease };
  return {
    clock,
    lines,
    stored: () => store.list(managementType(MachinePool), {}),
    client: server.as("test"),
    watches: () => embedded.requests.filter(({ verb }) => verb === "watch").length,
    start: (identity: string) => stack.use(startElectedRelay({ ...shared, server, identity })),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

type World = Awaited<ReturnType<typeof world>>;

const leads = (w: World, relay: Relay) =>
  eventually(async () => {
    await w.clock.advance(SECOND);
    const { ready, loops, election } = relay.status();
    return ready && loops.length === 2 && election?.leader === election?.identity;
  }, within);

describe("one of several relays", () => {
  it("leads; the others are ready, keep no watches and say who leads (KR-21)", async () => {
    await using w = await world();
    const first = w.start("first");
    await leads(w, first);
    const watches = w.watches();
    const second = w.start("second");
    await second.ready();
    await w.clock.advance(30 * SECOND);
    expect(second.status()).toEqual({
      ready: true,
      loops: [],
      connections: [],
      election: { identity: "second", leader: "first" },
    });
    expect(w.watches()).toBe(watches);
    expect(() => second.clients.of(MANAGEMENT, "x")).toThrow("waiting for Lease kube-system/capstan-relay");
    expect(first.clients.of(MANAGEMENT, "x")).toBeDefined();
  });

  it("takes over at once from one that ends", async () => {
    await using w = await world();
    const first = w.start("first");
    await leads(w, first);
    const second = w.start("second");
    await second.ready();
    await first[Symbol.asyncDispose]();
    expect(await w.client.get(Lease, lease)).toMatchObject({ spec: { holderIdentity: "" } });
    await leads(w, second);
  });

  it("stores nothing once it has stood still for longer than it may lead, until it leads again (KR-21)", async () => {
    await using w = await world();
    const first = w.start("first");
    await leads(w, first);
    w.clock.standStill(11 * SECOND);
    const { uid: _, resourceVersion: __, ...metadata } = machinePool().metadata;
    const pool = { ...machinePool(), metadata };
    await w.client.create(MachinePool, pool);
    await eventually(
      async () => w.lines.some(({ fields }) => JSON.stringify(fields).includes("waiting for Lease")),
      within,
    );
    expect(await w.stored()).toEqual([]);
    await eventually(async () => {
      await w.clock.advance(SECOND);
      return (await w.stored()).length === 1;
    }, within);
  });

  it("steps down when another one has taken the lease", async () => {
    await using w = await world();
    const first = w.start("first");
    await leads(w, first);
    const renewTime = "2030-01-01T00:00:00.000000Z";
    const spec = { holderIdentity: "thief", leaseDurationSeconds: 15, renewTime };
    await eventually(
      () => w.client.jsonPatch(Lease as Kind, lease, [{ op: "add", path: "/spec", value: spec }]),
      within,
    );
    await eventually(async () => {
      await w.clock.advance(SECOND);
      return first.status().loops.length === 0 && first.status().election?.leader === "thief";
    }, within);
  });
});
