import { describe, expect, it } from "vitest";
import type { Ports } from "../../../../infra/console/ports.ts";
import { createMemoryHints } from "../../../../infra/queue/backends/embedded/hints.ts";
import type { Reviewer } from "../../../../infra/worker/diagnostics/reviews.ts";
import { openAt, serveTestConsole } from "../../../support/console.ts";
import { eventually } from "../../../support/eventually.ts";
import { deadLetter, POOL_KEY } from "../../../support/letters.ts";
import { streamMessages } from "../../../support/stream-messages.ts";

const WITHIN = { withinMs: 10_000, stepMs: 10 };
type Relay = Awaited<ReturnType<NonNullable<Ports["relay"]>>>;

/** A relay without processes whose number of connections a test sets. */
function changingRelay() {
  const state: { connected: number; reads: number; fails: boolean } = {
    connected: 0,
    reads: 0,
    fails: false,
  };
  const relay = async (): Promise<Relay> => {
    state.reads += 1;
    if (state.fails) throw new Error("connect ECONNREFUSED");
    return { processes: [], connections: [], connected: state.connected };
  };
  return { state, relay };
}

function processWith(id: string, reasons: readonly string[]): Relay["processes"][number] {
  const seenAt = "2026-01-01T00:00:00.000Z";
  return { id, role: "worker", version: "1.2.3", seenAt, ready: false, reasons, functions: [] };
}

type World = Awaited<ReturnType<typeof serveTestConsole>>;

/** Follows topics; returns the messages so far. */
async function follow(world: World, query: string, headers: { readonly [name: string]: string }) {
  const { sent, answer } = await openAt(world.port, `/api/v1/stream?${query}`, { headers });
  sent.on("error", () => undefined);
  return {
    status: answer.statusCode,
    type: answer.headers["content-type"],
    ...streamMessages(answer),
    [Symbol.dispose]: () => sent.destroy(),
  };
}

describe("streams", () => {
  it("send the whole answer of a topic when it has changed, at most once a second", async () => {
    const { state, relay } = changingRelay();
    await using world = await serveTestConsole({ ports: { relay } });
    using page = await follow(world, "topic=relay", await world.logIn());
    expect(page).toMatchObject({ status: 200, type: "text/event-stream" });
    await eventually(
      () => expect(page.messages).toMatchObject([{ type: "state", topic: "relay", body: { connected: 0 } }]),
      WITHIN,
    );
    await world.clock.advance(3_000);
    expect(page.messages.length).toBe(1);
    state.connected = 7;
    await world.clock.advance(1_000);
    await eventually(() => expect(page.messages.at(-1)).toMatchObject({ body: { connected: 7 } }), WITHIN);
    expect(page.messages.length).toBe(2);
  });

  it("send nothing that a page has seen when it comes back", async () => {
    const { state, relay } = changingRelay();
    await using world = await serveTestConsole({ ports: { relay } });
    const headers = await world.logIn();
    const { etag = "" } = (await world.ask("/api/v1/relay", { headers })).headers;
    using page = await follow(world, `topic=relay&seen=${encodeURIComponent(etag)}`, headers);
    await world.clock.advance(2_000);
    expect(page.messages).toEqual([]);
    state.connected = 1;
    await world.clock.advance(1_000);
    await eventually(() => expect(page.messages.length).toBe(1), WITHIN);
  });

  it("say that a topic has an error, once, and that it has data again", async () => {
    const { state, relay } = changingRelay();
    state.fails = true;
    await using world = await serveTestConsole({ ports: { relay } });
    using page = await follow(world, "topic=relay&topic=nothing", await world.logIn());
    await world.clock.advance(3_000);
    await eventually(
      () =>
        expect(page.messages).toMatchObject([
          { type: "error", topic: "relay", error: { status: 503, since: "2026-01-01T00:00:00.000Z" } },
          { type: "error", topic: "nothing", error: { status: 404 } },
        ]),
      WITHIN,
    );
    state.fails = false;
    await world.clock.advance(1_000);
    await eventually(
      () => expect(page.messages.at(-1)).toMatchObject({ type: "state", topic: "relay" }),
      WITHIN,
    );
  });

  it("read a topic when a hint concerns it, and let it rest otherwise", async () => {
    const hints = createMemoryHints();
    const { state, relay } = changingRelay();
    await using world = await serveTestConsole({ ports: { relay }, hints });
    using page = await follow(world, "topic=relay", await world.logIn());
    await eventually(() => expect(page.messages.length).toBe(1), WITHIN);
    await world.clock.advance(1_000);
    const { reads } = state;
    await world.clock.advance(8_000);
    // Processes give a sign of life every 10 s.
    expect(state.reads).toBe(reads);
    state.connected = 7;
    await world.clock.advance(3_000);
    await eventually(() => expect(page.messages.at(-1)).toMatchObject({ body: { connected: 7 } }), WITHIN);
    expect(state.reads).toBe(reads + 1);
  });

  it("leave out what is read when a person asks, and not again", async () => {
    let replays = 0;
    const replay = async () => {
      replays += 1;
      return { type: "cut" as const, why: "no" };
    };
    const letters = { get: async () => deadLetter(), page: async () => ({ items: [] }) };
    await using world = await serveTestConsole({ ports: { replay, letters } });
    const topic = encodeURIComponent(`letters/machinepool-status/${encodeURIComponent(POOL_KEY)}/replay`);
    using page = await follow(world, `topic=me&topic=${topic}`, await world.logIn());
    await world.clock.advance(3_000);
    await eventually(() => expect(page.messages).toMatchObject([{ topic: "me" }]), WITHIN);
    expect(replays).toBe(0);
  });

  it("read a topic once a second for all who see the same", async () => {
    const { state, relay } = changingRelay();
    await using world = await serveTestConsole({ ports: { relay } });
    const headers = await world.logIn();
    await using stack = new AsyncDisposableStack();
    for (let count = 0; count < 8; count += 1) stack.use(await follow(world, "topic=relay", headers));
    state.reads = 0;
    await world.clock.advance(3_000);
    expect(state.reads).toBeLessThanOrEqual(3);
  });

  it("are at most 50 for one person; more are asked to come every 10 s", async () => {
    await using world = await serveTestConsole();
    const headers = await world.logIn();
    await using stack = new AsyncDisposableStack();
    for (let count = 0; count < 50; count += 1) stack.use(await follow(world, "topic=me", headers));
    const refused = await world.ask("/api/v1/stream?topic=me", { headers });
    expect(refused).toMatchObject({
      status: 503,
      body: { reason: "TooManyStreams" },
      headers: { "retry-after": "10" },
    });
    expect(await world.ask("/api/v1/me", { headers })).toMatchObject({ status: 200 });
  });

  it("are cut when their reader never reads; others are not", async () => {
    const reasons = Array.from({ length: 100 }, () => "x".repeat(10_000));
    let version = 0;
    const relay = async (): Promise<Relay> => {
      version += 1;
      return { processes: [processWith(`p${version}`, reasons)], connections: [], connected: version };
    };
    await using world = await serveTestConsole({ ports: { relay } });
    const headers = await world.logIn();
    const { sent, answer } = await openAt(world.port, "/api/v1/stream?topic=relay", { headers });
    using _sent = { [Symbol.dispose]: () => sent.destroy() };
    using page = await follow(world, "topic=relay", headers);
    // Each has 1 MB, so together they are more than the buffers of both sockets hold.
    for (let count = 2; count <= 40; count += 1) {
      await world.clock.advance(1_000);
      await eventually(() => expect(page.messages.length).toBe(count), WITHIN);
    }
    const unread = streamMessages(answer);
    await eventually(() => expect(unread.state.ended).toBe(true), WITHIN);
    expect(unread.messages.length).toBeLessThan(page.messages.length);
    expect(page.state.ended).toBe(false);
  });

  it("end within a minute after the right is withdrawn", async () => {
    let allowed: boolean = true;
    const reviewer: Reviewer = { review: async () => ({ status: { allowed } }) };
    await using world = await serveTestConsole({ reviewer });
    using page = await follow(world, "topic=me", await world.logIn());
    await eventually(() => expect(page.messages.length).toBe(1), WITHIN);
    allowed = false;
    await world.clock.advance(61_000);
    await eventually(() => expect(page.state.ended).toBe(true), WITHIN);
    expect(page.messages.at(-1)).toMatchObject({ type: "end", error: { status: 403 } });
  });

  it("refuse a query without topics, with too many, or with other fields", async () => {
    await using world = await serveTestConsole();
    const headers = await world.logIn();
    for (const query of ["", "topic=", "seen=x", "topic=me&other=1", Array(9).fill("topic=me").join("&")]) {
      const { status } = await world.ask(`/api/v1/stream?${query}`, { headers });
      expect([query, status]).toEqual([query, 400]);
    }
  });
});
