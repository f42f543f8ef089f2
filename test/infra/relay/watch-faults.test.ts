import { constants, createGzip, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import { createDelivery } from "../../../infra/relay/delivery/delivery.ts";
import { EVERYTHING } from "../../../infra/relay/delivery/watch-filter.ts";
import { createBudget } from "../../../infra/relay/watch/budget.ts";
import type { WatchConsumer } from "../../../infra/relay/watch/watch-consumer.ts";
import { MANAGEMENT } from "../../../shared/api/kinds.ts";
import type { Queue } from "../../../shared/runtime/queue/queue-port.ts";
import type { Change } from "../../../shared/runtime/queue/route.ts";
import { virtualClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import {
  bookmark,
  breaking,
  event,
  failing,
  holding,
  initialEventsEnd,
  listing,
  type Reply,
  reset,
  type ScriptedServer,
  streaming,
  text,
} from "../../support/processes/scripted-server.ts";
import { silentLog } from "../../support/silent-log.ts";
import { listsTo, Thing, thing, type Watching, watching } from "./watching.ts";

/*
 * Failures that a stock informer does not survive, then answers of proxies and damaged servers (KR-24).
 */

const within = { withinMs: 10_000 };
const internalError = event("ERROR", {
  kind: "Status",
  code: 500,
  reason: "InternalError",
  message: "etcd is away",
});
const expired = event("ERROR", { kind: "Status", code: 410, reason: "Expired", message: "too old (15)" });
const tooLarge = failing(504, "Timeout", {
  details: {
    retryAfterSeconds: 1,
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
  },
});

type Script = (server: ScriptedServer) => void;

/** A loop whose time passes only while it waits between attempts. */
async function patient(script: Script, options: Parameters<typeof watching>[1] = {}) {
  const clock = virtualClock();
  const world = await watching(script, { clock, serverClock: clock, ...options });
  const until = (condition: () => boolean) =>
    eventually(async () => {
      if (world.loop.status().state === "backoff") await clock.advance(500);
      return condition();
    }, within);
  return { world, clock, until, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

/** Versions of lists by pages, as asked for. */
function listedFrom({ server }: Watching) {
  return listsTo(server).map(({ query }) => query.get("resourceVersion"));
}

describe("KR-24: a watch loop, where a stock informer", () => {
  it.each<[string, string, Script]>([
    ["stops for good after a reset", "NoAnswer", ({ watches }) => watches.push(breaking())],
    ["stops for good after a 429", "TooManyRequests", (s) => s.watches.push(failing(429, "TooManyRequests"))],
    ["stops for good after a 500", "InternalError", (s) => s.watches.push(failing(500, "InternalError"))],
    [
      "stops for good after a 503",
      "ServiceUnavailable",
      (s) => s.watches.push(failing(503, "ServiceUnavailable")),
    ],
    ["keeps a stream that said ERROR 500", "InternalError", (s) => s.watches.push(holding(internalError))],
    [
      "crashes when credentials are refused",
      "Unauthorized",
      (s) => s.watches.push(failing(401, "Unauthorized")),
    ],
  ])("KR-10: %s, watches again from the same version without a list", async (_row, reason, script) => {
    await using w = await patient((server) => {
      script(server);
      server.watches.push(holding(event("ADDED", thing("a", "105"))));
    });
    await w.until(() => w.world.reported.includes("changed a"));
    expect(w.world.watchedFrom()).toEqual(["100", "100"]);
    expect(w.world.listsSeen()).toBe(1);
    expect(w.world.loop.status().reconnects).toEqual({ [reason]: 1 });
  });

  it("KR-10: stops for good after one failed list, lists again", async () => {
    await using w = await patient(({ lists }) =>
      lists.push(failing(500, "InternalError"), listing([thing("a", "7")], "8")),
    );
    await w.until(() => w.world.reported.length === 1);
    expect(w.world.reported).toEqual(["list a at 8"]);
  });

  it.each<[string, Reply]>([
    ["an ERROR event", streaming(expired)],
    ["the answer itself", failing(410, "Expired")],
  ])("KR-09: lists at once after 410 by %s, waits and lists at the last version", async (_by, reply) => {
    await using w = await patient(({ lists, watches }) => {
      lists.push(listing([], "100"), listing([thing("a", "190")], "200"));
      watches.push(streaming(event("ADDED", thing("a", "105"))), reply);
    });
    await w.until(() => w.world.reported.length === 3);
    expect(w.world.reported).toEqual(["list  at 100", "changed a", "list a at 200"]);
    expect(listedFrom(w.world)).toEqual([null, "105"]);
    expect(w.world.loop.status().reconnects).toEqual({ closed: 1, Expired: 1 });
  });

  it("KR-09: lists whatever there is when the last version is forgotten", async () => {
    await using w = await patient(({ lists, watches }) => {
      lists.push(listing([], "100"), failing(410, "Expired"), listing([], "90"));
      watches.push(streaming(expired));
    });
    await w.until(() => w.world.reported.length === 2);
    expect(w.world.reported).toEqual(["list  at 100", "list  at 90"]);
    expect(listedFrom(w.world)).toEqual([null, "100", null]);
  });

  it("KR-09: lists whatever there is when the server stays behind the last version", async () => {
    await using w = await patient(({ lists, watches }) => {
      lists.push(listing([], "100"), tooLarge, tooLarge, listing([], "90"));
      watches.push(streaming(expired));
    });
    await eventually(async () => {
      await w.clock.advance(500);
      return w.world.reported.length === 2;
    }, within);
    expect(w.world.reported).toEqual(["list  at 100", "list  at 90"]);
    expect(listedFrom(w.world)).toEqual([null, "100", "100", null]);
  });

  it("KR-06: waits up to 30 s after a clean end, resumes at once", async () => {
    await using w = await patient(({ watches }) =>
      watches.push(streaming(event("ADDED", thing("a", "105"))), holding(event("ADDED", thing("b", "106")))),
    );
    await eventually(() => w.world.reported.includes("changed b"), within);
    expect(w.world.watchedFrom()).toEqual(["100", "105"]);
    expect(w.clock.now()).toEqual(virtualClock().now());
  });

  it("KR-07: reconnects every 30 s, bears 90 s of silence and then replaces the watch", async () => {
    const things = listing([thing("a", "90")], "100");
    await using w = await patient(({ lists }) => lists.push(things, things));
    const reconnects = () => w.world.loop.status().reconnects["Idle"];
    await w.until(() => w.world.watchedFrom().length === 1);
    await w.clock.advance(60_000);
    expect(reconnects()).toBeUndefined();
    await eventually(async () => {
      await w.clock.advance(30_000);
      return reconnects() === 1;
    }, within);
    await w.until(() => w.world.watchedFrom().length === 2);
    expect(w.world.reported).toEqual(["list a at 100"]);
  });

  it("KR-06: waits for ever behind a server that does not end a watch, replaces it", async () => {
    const drip: Reply = (response) => {
      response.writeHead(200).flushHeaders();
      const timer = setInterval(() => response.write(" "), 1);
      response.once("close", () => clearInterval(timer));
    };
    await using w = await patient(({ watches }) => watches.push(drip));
    await w.until(() => w.world.watchedFrom().length === 1);
    await eventually(async () => {
      await w.clock.advance(20_000);
      return w.world.watchedFrom().length === 2;
    }, within);
    expect(w.world.loop.status().reconnects).toEqual({ closed: 1 });
  });

  it("KR-11: drops half a line before the end, loses nothing", async () => {
    const line = event("ADDED", thing("b", "106"));
    await using w = await patient(({ watches }) =>
      watches.push(streaming(event("ADDED", thing("a", "105")), line.slice(0, 20)), holding(line)),
    );
    await w.until(() => w.world.reported.length === 3);
    expect(w.world.reported).toEqual(["list  at 100", "changed a", "changed b"]);
    expect(w.world.watchedFrom()).toEqual(["100", "105"]);
  });

  it("KR-11: loses a line that is damaged in the middle, lists again", async () => {
    await using w = await patient(({ lists, watches }) => {
      lists.push(listing([], "100"), listing([thing("b", "106")], "107"));
      watches.push(
        holding(event("ADDED", thing("a", "105")), '{"type":"ADD\n', event("ADDED", thing("c", "107"))),
      );
    });
    await w.until(() => w.world.reported.length === 3);
    expect(w.world.reported).toEqual(["list  at 100", "changed a", "list b at 107"]);
    expect(w.world.loop.status()).toMatchObject({ undecodable: 1, reconnects: { Undecodable: 1 } });
  });

  it("KR-13: shows one update of an object recreated between two watches, shows a deletion and an addition", async () => {
    await using w = await stored(({ lists, watches }) => {
      lists.push(listing([thing("a", "90", "old")], "100"), listing([thing("a", "190", "new")], "200"));
      watches.push(streaming(expired));
    });
    await w.until(() => w.changes.length === 3);
    expect(w.changes).toEqual(["added old at 90", "deleted old at 90", "added new at 190"]);
  });

  it("KR-13: shows a deletion before a 410, shows its last snapshot, too", async () => {
    await using w = await stored(({ lists, watches }) => {
      lists.push(listing([thing("a", "90")], "100"), listing([], "200"));
      watches.push(streaming(event("MODIFIED", thing("a", "105"))), streaming(expired));
    });
    await w.until(() => w.changes.length === 3);
    expect(w.changes).toEqual(["added uid-a at 90", "changed uid-a at 105", "deleted uid-a at 105"]);
  });

  it("KR-16: keeps everything in flight in memory, stops reading while its consumer is slow", async () => {
    const large = (name: string, version: number) =>
      event("MODIFIED", { ...thing(name, String(version)), data: "x".repeat(1024 * 1024) });
    const many = Array.from({ length: 40 }, (_none, at) => large(`t${at}`, 200 + at));
    const opened = Promise.withResolvers<void>();
    const reported: string[] = [];
    const changed: WatchConsumer["changed"] = async (objects) => {
      await opened.promise;
      reported.push(...objects.map(({ metadata }) => metadata.name));
    };
    await using w = await patient(({ watches }) => watches.push(holding(...many)), { consumer: { changed } });
    await w.until(() => w.world.loop.status().pending >= 16);
    // All that the sockets hold has been sent by now, and still no more is read.
    await w.until(() => w.world.loop.status().bytes > 16 * 1024 * 1024);
    expect(w.world.loop.status().pending).toBeLessThanOrEqual(17);
    opened.resolve();
    await w.until(() => reported.length === 40);
    expect(new Set(reported).size).toBe(40);
  });

  it("KR-10: asks without a pause, waits longer after each failure", async () => {
    await using w = await patient(({ watches }) => watches.push(reset, reset, reset, reset));
    await w.until(() => w.world.watchedFrom().length >= 5);
    const passed = w.clock.now().getTime() - virtualClock().now().getTime();
    expect(passed).toBeGreaterThanOrEqual(375 + 750);
  });
});

describe("KR-05: a list by watch", () => {
  it("is everything up to the mark, and the watch continues without a second request", async () => {
    await using w = await patient(({ watchLists }) =>
      watchLists.push(
        holding(
          event("ADDED", thing("b", "50")),
          event("ADDED", thing("a", "40")),
          initialEventsEnd("100"),
          event("MODIFIED", thing("a", "101")),
        ),
      ),
    );
    await w.until(() => w.world.reported.length === 2);
    expect(w.world.reported).toEqual(["list b,a at 100", "changed a"]);
    const [request, ...others] = w.world.server.requests;
    expect(others).toEqual([]);
    expect(Object.fromEntries(request?.query ?? [])).toMatchObject({
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: "true",
      resourceVersion: "",
    });
    expect(w.world.loop.status()).toMatchObject({ lists: 1, events: 1, resourceVersion: "101" });
  });

  it("is asked for at the last version after a 410", async () => {
    await using w = await patient(({ watchLists }) =>
      watchLists.push(streaming(initialEventsEnd("100"), expired), failing(410, "Expired")),
    );
    await w.until(() => w.world.reported.length === 2);
    const asked = w.world.server.requests.map(({ query }) => query.get("resourceVersion"));
    // Refused, then by pages at the same version; the scripted list says yes.
    expect(asked.slice(0, 3)).toEqual(["", "100", "100"]);
    expect(w.world.reported).toEqual(["list  at 100", "list  at 100"]);
  });

  it.each<[string, Reply]>([
    ["refuses it", failing(422, "Invalid")],
    ["ignores it and sends an ordinary bookmark", holding(event("ADDED", thing("x", "1")), bookmark("100"))],
    ["ignores it and ends", streaming(event("ADDED", thing("x", "1")))],
  ])("gives way to pages for good when the server %s", async (_how, reply) => {
    await using w = await patient(({ watchLists, lists, watches }) => {
      watchLists.push(reply);
      lists.push(listing([thing("a", "7")], "8"));
      watches.push(streaming(expired));
    });
    await w.until(() => w.world.listsSeen() === 2);
    expect(w.world.reported[0]).toBe("list a at 8");
    const begun = w.world.server.requests.filter(({ query }) => query.has("sendInitialEvents"));
    expect(begun).toHaveLength(1);
  });

  it("gives way to pages when the server says nothing more for 10 s", async () => {
    await using w = await patient(({ watchLists, lists }) => {
      watchLists.push(holding(event("ADDED", thing("x", "1"))));
      lists.push(listing([thing("a", "7")], "8"));
    });
    await w.until(() => w.world.loop.status().bytes > 0);
    await eventually(async () => {
      await w.clock.advance(5_000);
      return w.world.reported.length === 1;
    }, within);
    expect(w.world.reported).toEqual(["list a at 8"]);
  });

  it("gives way to pages once when it fails otherwise", async () => {
    await using w = await patient(({ watchLists, lists, watches }) => {
      watchLists.push(breaking(event("ADDED", thing("x", "1"))), holding(initialEventsEnd("200")));
      lists.push(listing([thing("a", "7")], "8"));
      watches.push(streaming(expired));
    });
    await w.until(() => w.world.reported.length === 2);
    expect(w.world.reported).toEqual(["list a at 8", "list  at 200"]);
  });
});

describe("KR-08: a loop with a version to resume from", () => {
  const kept = { resume: async () => ({ resourceVersion: "90", items: [thing("a", "70")] }) };

  it("KR-08: watches from there without a list", async () => {
    await using w = await patient(
      ({ lists, watches }) => {
        lists.push(listing([thing("a", "70")], "100"));
        watches.push(holding(event("ADDED", thing("b", "105"))));
      },
      { consumer: kept },
    );
    await w.until(() => w.world.reported.length === 1);
    expect(w.world.reported).toEqual(["changed b"]);
    expect(w.world.watchedFrom()).toEqual(["90"]);
    expect(w.world.loop.status()).toMatchObject({ lists: 0, resourceVersion: "105" });
  });

  it("KR-12: lists when the server does not have what is kept", async () => {
    await using w = await patient(
      ({ lists }) => lists.push(listing([thing("a", "60")], "100"), listing([thing("a", "60")], "101")),
      { consumer: kept },
    );
    await w.until(() => w.world.reported.length === 1);
    expect(w.world.reported).toEqual(["list a at 101"]);
  });

  it("KR-08: lists when the version is too old, and does not take that for a first list", async () => {
    await using w = await patient(
      ({ lists, watches }) => {
        lists.push(listing([thing("a", "70")], "100"));
        watches.push(streaming(expired));
      },
      { consumer: kept },
    );
    await w.until(() => w.world.reported.length === 1);
    expect(w.world.firsts).toEqual([false]);
    expect(listedFrom(w.world).at(-1)).toBe("90");
  });

  it("KR-08: is where it was when a consumer fails, and repeats the event", async () => {
    let failures = 0;
    const reported: string[] = [];
    const changed: WatchConsumer["changed"] = async (objects) => {
      failures += 1;
      if (failures === 1) throw new TypeError("a defect");
      reported.push(...objects.map(({ metadata }) => metadata.name));
    };
    const line = event("ADDED", thing("a", "105"));
    await using w = await patient(({ watches }) => watches.push(holding(line), holding(line)), {
      consumer: { changed },
    });
    await w.until(() => reported.length === 1);
    expect(w.world.watchedFrom()).toEqual(["100", "100"]);
    expect(w.world.loop.status().reconnects).toEqual({ Bug: 1 });
  });
});

describe("KR-20: a server that sends without end", () => {
  it("KR-20: is read at the pace of its budget, and heard again when time has passed", async () => {
    const clock = virtualClock();
    const budget = createBudget(clock, { bytesPerSecond: 1_000, burstBytes: 100_000 });
    const large = (at: number) =>
      event("ADDED", { ...thing(`t${at}`, String(200 + at)), data: "x".repeat(60_000) });
    const lines = Array.from({ length: 40 }, (_none, at) => large(at));
    await using w = await patient(({ watches }) => watches.push(holding(...lines)), {
      clock,
      serverClock: clock,
      budget,
    });
    await w.until(() => w.world.loop.status().bytes > 100_000);
    expect(w.world.loop.status().events).toBeLessThan(10);
    expect(w.world.loop.status().state).toBe("streaming");
    const before = w.world.loop.status().bytes;
    await eventually(async () => {
      await clock.advance(10_000);
      return w.world.loop.status().bytes > before;
    }, within);
  });
});

describe("KR-12: a server whose versions go down", () => {
  it("KR-12: is listed again when an event shows it", async () => {
    await using w = await patient(({ lists, watches }) => {
      lists.push(listing([], "100"), listing([], "51"));
      watches.push(holding(event("ADDED", thing("a", "105")), event("ADDED", thing("b", "50"))));
    });
    await w.until(() => w.world.reported.length === 3);
    expect(w.world.reported).toEqual(["list  at 100", "changed a", "list  at 51"]);
    expect(listedFrom(w.world)).toEqual([null, null]);
    expect(w.world.loop.status().reconnects).toEqual({ WentBack: 1 });
  });

  it("KR-12: is listed again when it is silent and the list of one object shows it", async () => {
    await using w = await patient(({ lists }) =>
      lists.push(listing([], "100"), listing([], "51"), listing([], "52")),
    );
    await eventually(async () => {
      if (w.world.loop.status().state !== "listing") await w.clock.advance(30_000);
      return w.world.reported.length === 2;
    }, within);
    expect(w.world.reported).toEqual(["list  at 100", "list  at 52"]);
    expect(w.world.loop.status().reconnects).toMatchObject({ Idle: 1, WentBack: 1 });
  });

  it("KR-12: is listed again when a proxy has gone over to another server, whose versions are higher", async () => {
    const other = listing([thing("a", "95", "another")], "120");
    await using w = await patient(({ lists }) =>
      lists.push(listing([thing("a", "90")], "100"), other, other),
    );
    await eventually(async () => {
      if (w.world.loop.status().state !== "listing") await w.clock.advance(30_000);
      return w.world.reported.length >= 2;
    }, within);
    expect(w.world.reported.slice(0, 2)).toEqual(["list a at 100", "list a at 120"]);
    expect(Object.keys(w.world.loop.status().reconnects)).toContain("WentBack");
  });
});

describe("KR-24: a watch loop continues after", () => {
  it("KR-24: a server that speaks no TLS", async () => {
    const access = (url: URL) => ({ server: new URL(url.href.replace("http:", "https:")) });
    await using w = await patient(() => undefined, { access });
    await w.until(() => Number(w.world.loop.status().reconnects["NoAnswer"]) >= 3);
    expect(w.world.reported).toEqual([]);
  });

  it("KR-24: a login page of a proxy with status 200, in place of a list and of a watch", async () => {
    await using w = await patient(({ lists, watches }) => {
      lists.push(text(200, "<html>login</html>"), listing([], "100"));
      watches.push(streaming("<html>\n<body>login</body>\n"));
    });
    await w.until(() => w.world.watchedFrom().length === 2);
    expect(w.world.reported).toEqual(["list  at 100", "list  at 100"]);
    expect(w.world.loop.status()).toMatchObject({ undecodable: 2, reconnects: { Undecodable: 2 } });
  });

  it("KR-24: reads bodies that a proxy has compressed, events as they come", async () => {
    const zipped: Reply = (response) => {
      response.writeHead(200, { "Content-Type": "application/json", "Content-Encoding": "gzip" });
      const zip = createGzip({ flush: constants.Z_SYNC_FLUSH });
      zip.pipe(response);
      zip.write(event("ADDED", thing("a", "105")));
    };
    const list = JSON.stringify({
      kind: "List",
      metadata: { resourceVersion: "100" },
      items: [thing("b", "9")],
    });
    await using w = await patient(({ lists, watches }) => {
      lists.push(text(200, gzipSync(list), { "Content-Encoding": "gzip" }));
      watches.push(zipped);
    });
    await w.until(() => w.world.reported.length === 2);
    expect(w.world.reported).toEqual(["list b at 100", "changed a"]);
  });

  it("KR-24: a compressed body that is damaged", async () => {
    await using w = await patient(({ watches }) =>
      watches.push(
        text(200, "no gzip", { "Content-Encoding": "gzip" }),
        holding(event("ADDED", thing("a", "105"))),
      ),
    );
    await w.until(() => w.world.reported.length === 2);
    expect(w.world.reported).toEqual(["list  at 100", "changed a"]);
  });

  it.each<[string, readonly (string | Buffer)[], readonly string[]]>([
    [
      "chunk borders within a character",
      split(event("ADDED", thing("grün-🚀", "105")), "🚀"),
      ["changed grün-🚀"],
    ],
    ["single bytes", bytes(event("ADDED", thing("ü", "105"))), ["changed ü"]],
    [
      "carriage returns and empty lines",
      [event("ADDED", thing("a", "105")).replace("\n", "\r\n\r\n")],
      ["changed a"],
    ],
    [
      "two documents in one chunk",
      [event("ADDED", thing("a", "105")) + event("ADDED", thing("b", "106"))],
      ["changed a", "changed b"],
    ],
    [
      "documents in several lines, and side by side",
      [
        `${JSON.stringify(JSON.parse(event("ADDED", thing('{"}\\"', "105"))), undefined, "\t")}\n`,
        event("ADDED", thing("b", "106")).trim() + event("ADDED", thing("c", "107")).trim(),
      ],
      ['changed {"}\\"', "changed b", "changed c"],
    ],
    [
      "an object without uid",
      [event("ADDED", { ...thing("a", "105"), metadata: { name: "a", resourceVersion: "105" } })],
      ["changed a"],
    ],
    [
      "a bookmark before any object",
      [bookmark("104"), event("ADDED", thing("a", "105"))],
      ["reached 104", "changed a"],
    ],
    ["the deletion of an unknown object", [event("DELETED", thing("a", "105"))], ["deleted a"]],
  ])("KR-24: %s", async (_what, chunks, reported) => {
    await using w = await patient(({ watches }) => watches.push(holding(...chunks)));
    await w.until(() => w.world.reported.length === reported.length + 1);
    expect(w.world.reported).toEqual(["list  at 100", ...reported]);
    expect(w.world.loop.status().reconnects).toEqual({});
  });

  it("KR-24: 3,000 documents in one chunk", async () => {
    const many = Array.from({ length: 3_000 }, (_none, at) =>
      event("ADDED", thing(`t${at}`, String(200 + at))),
    );
    await using w = await patient(({ watches }) => watches.push(holding(many.join(""))));
    await w.until(() => w.world.reported.length === 3_001);
    expect(w.world.loop.status()).toMatchObject({ events: 3_000, resourceVersion: "3199", reconnects: {} });
  });

  it("KR-24: a list of nothing", async () => {
    await using w = await patient(({ lists }) => lists.push(listing([], "8")));
    await w.until(() => w.world.watchedFrom().length === 1);
    expect(w.world.reported).toEqual(["list  at 8"]);
    expect(w.world.watchedFrom()).toEqual(["8"]);
  });
});

function split(line: string, character: string): readonly Buffer[] {
  const whole = Buffer.from(line);
  const cut = whole.indexOf(character) + 2;
  return [whole.subarray(0, cut), whole.subarray(cut)];
}

function bytes(line: string): readonly Buffer[] {
  return [...Buffer.from(line)].map((byte) => Buffer.from([byte]));
}

/** A loop that delivers into a read model; `changes` are those that functions would be notified of. */
async function stored(script: Script) {
  const store = createMemoryStore();
  const clock = virtualClock();
  const abort = new AbortController();
  const changes: string[] = [];
  const delivery = createDelivery({
    store,
    clock,
    functions: [],
    filter: EVERYTHING,
    log: silentLog,
    signal: abort.signal,
    queue: { enqueue: async () => undefined } as unknown as Queue,
    onChange: (change) => changes.push(describeChange(change)),
  });
  const type = { cluster: MANAGEMENT, group: Thing.group, kind: Thing.kind };
  const consumer: WatchConsumer = {
    reduce: (object) => object,
    listed: async (items, { resourceVersion }) => {
      await delivery.replace(type, items, { resourceVersion, priority: "live" });
    },
    changed: (objects) => delivery.put(type, objects, "live"),
    deleted: (object) => delivery.remove(type, object),
  };
  const loop = await patient(script, { consumer });
  return {
    ...loop,
    changes,
    async [Symbol.asyncDispose]() {
      abort.abort();
      await loop[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

function describeChange({ before, after }: Change): string {
  const { uid, resourceVersion } = (after ?? before)?.metadata ?? {};
  const what = before === undefined ? "added" : after === undefined ? "deleted" : "changed";
  return `${what} ${uid} at ${resourceVersion}`;
}
