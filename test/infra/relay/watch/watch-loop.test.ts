import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { rest } from "../../../../infra/platform/rest.ts";
import { type Comeback, createComeback } from "../../../../infra/relay/watch/comeback.ts";
import type { Clock } from "../../../../shared/runtime/ports.ts";
import { virtualClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import {
  bookmark,
  breaking,
  event,
  failing,
  holding,
  json,
  listing,
  reset,
  type ScriptedServer,
  streaming,
  text,
} from "../../../support/processes/scripted-server.ts";
import { isLimit, isList, isWatch, listsTo, thing, watching } from "../watching.ts";

/** Real time in which 30 s and 90 s of silence are over at once; the silences allowed are kept. */
function silentClock(): Clock & { readonly silences: number[] } {
  const silences: number[] = [];
  return {
    silences,
    now: () => new Date(),
    after(delayMs, callback) {
      const isShort = delayMs === 30_000 || delayMs === 90_000;
      if (isShort || delayMs > 90_000) silences.push(delayMs);
      return systemClock.after(isShort ? 20 : delayMs, callback);
    },
  };
}

/** An object within so many others. */
function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
}

const within = { withinMs: 10_000 };

describe("watch loop", () => {
  it("lists, then watches from the list's version with bookmarks and a bounded lifetime (KR-05, KR-06)", async () => {
    await using world = await watching(({ lists }) => lists.push(listing([thing("a", "7")], "8")));
    await eventually(() => world.watchedFrom().length === 1, within);
    expect(world.reported).toEqual(["list a at 8"]);
    const watch = world.server.requests.at(-1);
    expect(watch?.query.get("resourceVersion")).toBe("8");
    expect(watch?.query.get("allowWatchBookmarks")).toBe("true");
    expect(watch?.query.get("timeoutSeconds")).toBe("450");
    expect(world.loop.status()).toMatchObject({ state: "streaming", lists: 1, resourceVersion: "8" });
  });

  it("takes watches that end at once three times in a row for a failure (KR-06)", async () => {
    await using world = await watching(({ watches }) => watches.push(streaming(), streaming(), streaming()));
    await eventually(() => world.watchedFrom().length === 4, within);
    expect(world.loop.status().reconnects).toEqual({ closed: 2, VeryShortWatch: 1 });
  });

  it("resumes from a bookmark (KR-08)", async () => {
    await using world = await watching(({ watches }) => watches.push(streaming(bookmark("140"))));
    await eventually(() => world.watchedFrom().length === 2, within);
    expect(world.watchedFrom()).toEqual(["100", "140"]);
    expect(world.reported).toContain("reached 140");
  });

  it.each([
    ["a reset", reset, "NoAnswer"],
    ["429", failing(429, "TooManyRequests"), "TooManyRequests"],
    ["500", failing(500, "InternalError"), "InternalError"],
    ["504", failing(504, "Timeout"), "Timeout"],
  ])("watches again at the same version after %s, without a list (KR-10)", async (_what, reply, reason) => {
    await using world = await watching(({ watches }) => watches.push(reply));
    await eventually(() => world.watchedFrom().length === 2, within);
    expect(world.watchedFrom()).toEqual(["100", "100"]);
    expect(world.listsSeen()).toBe(1);
    expect(world.loop.status().reconnects).toEqual({ [reason]: 1 });
  });

  it("takes a type that its server still prepares for normal, and says so when that lasts", async () => {
    const initializing = failing(429, "TooManyRequests", { message: "storage is (re)initializing" });
    await using world = await watching(({ watches }) => watches.push(initializing, initializing));
    await eventually(() => world.watchedFrom().length === 3, within);
    expect(world.loop.status().reconnects).toEqual({ StorageInitializing: 2 });
    expect(world.warnings()).toEqual([]);

    let minutes = 0;
    const slow: Clock = { ...systemClock, now: () => new Date(60_000 * minutes++) };
    await using stuck = await watching(
      ({ watches }) => watches.push(initializing, initializing, initializing),
      { clock: slow },
    );
    await eventually(() => stuck.warnings().length === 1, within);
  });

  it("takes a workload server that has not begun to answer for normal, and says so when that lasts", async () => {
    const silent = ({ lists }: ScriptedServer): void => void lists.push(reset, reset, listing([], "8"));
    await using young = await watching(silent, { mayBeStarting: true });
    await eventually(() => young.watchedFrom().length === 1, within);
    expect(Object.keys(young.loop.status().reconnects)).toEqual(["NoAnswer"]);
    expect(young.warnings()).toEqual([]);

    await using known = await watching(silent);
    await eventually(() => known.watchedFrom().length === 1, within);
    expect(known.warnings()).toHaveLength(1);

    let minutes = 0;
    const slow: Clock = { ...systemClock, now: () => new Date(60_000 * minutes++) };
    const mute = ({ lists }: ScriptedServer): void => void lists.push(...Array<typeof reset>(8).fill(reset));
    await using late = await watching(mute, { mayBeStarting: true, clock: slow });
    await eventually(() => late.warnings().length === 1, within);
    expect(Object.keys(late.loop.status().reconnects)).toEqual(["NoAnswer"]);
  });

  it("resumes after the line broke in the middle of the stream (KR-10)", async () => {
    await using world = await watching(({ watches }) =>
      watches.push(breaking(event("ADDED", thing("a", "105")))),
    );
    await eventually(() => world.watchedFrom().length === 2, within);
    expect(world.watchedFrom()).toEqual(["100", "105"]);
    expect(world.reported).toEqual(["list  at 100", "changed a"]);
  });

  it("waits twice as long after every failure, up to 30 s (KR-10)", async () => {
    await using world = await watching(({ watches }) => watches.push(...Array<typeof reset>(8).fill(reset)));
    await eventually(() => world.watchedFrom().length === 9, within);
    expect(world.delays).toEqual([375, 750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500]);
  });

  it("warns of a server that is lost, and not while its Cluster is deleted", async () => {
    const lost = ({ watches }: ScriptedServer): void => void watches.push(reset);
    for (const [isEnding, warnings] of [
      [false, ["the watch failed; retrying"]],
      [true, []],
    ] as const) {
      await using world = await watching(lost, { isEnding: () => isEnding });
      await eventually(() => world.watchedFrom().length === 2, within);
      expect(world.warnings()).toEqual(warnings);
    }
  });

  it("lists again until a list succeeds (KR-04)", async () => {
    await using world = await watching(({ lists }) =>
      lists.push(
        failing(500, "InternalError"),
        reset,
        failing(403, "Forbidden"),
        listing([thing("a", "7")], "8"),
      ),
    );
    await eventually(() => world.reported.length === 1, within);
    expect(world.reported).toEqual(["list a at 8"]);
  });

  it("takes a server that does not answer a watch-list for silent, not for one that knows none (KR-05)", async () => {
    const clock = virtualClock();
    await using world = await watching(({ watchLists }) => watchLists.push(() => undefined), {
      clock,
      serverClock: clock,
    });
    await eventually(() => world.server.requests.length === 1, within);
    await clock.advance(10_000);
    expect(world.warnings()).toEqual(["the watch failed; retrying"]);
    expect(world.listsSeen()).toBe(0);
  });

  it("leaves no list behind when it ends: the request to a silent server ends with it", async () => {
    let isClosed = false;
    await using world = await watching(({ lists }) =>
      lists.push((response) => {
        response.on("close", () => {
          isClosed = true;
        });
      }),
    );
    await eventually(() => world.listsSeen() === 1, within);
    await world.loop[Symbol.asyncDispose]();
    await eventually(() => isClosed, within);
    expect(world.listsSeen()).toBe(1);
  });

  it("ends once its list is stored, not before: the next loop of the type stores after it (KR-04)", async () => {
    const stored = Promise.withResolvers<void>();
    let isListed = false;
    const listed = async () => {
      isListed = true;
      await stored.promise;
    };
    await using world = await watching(() => undefined, { consumer: { listed } });
    await eventually(() => isListed, within);
    let hasEnded = false;
    const ended = world.loop[Symbol.asyncDispose]().then(() => {
      hasEnded = true;
    });
    await rest(20, systemClock);
    expect(hasEnded).toBe(false);
    stored.resolve();
    await ended;
    expect(world.watchedFrom()).toEqual([]);
  });

  it("waits as long as a 503 says and then lists (KC-06)", async () => {
    await using world = await watching(({ lists }) =>
      lists.push(failing(503, "ServiceUnavailable", {}, { "Retry-After": "0" }), listing([], "8")),
    );
    await eventually(() => world.reported.length === 1, within);
    expect(world.loop.status().reconnects).toEqual({});
  });

  it("keeps its version after an ERROR event and lists after the second in a row (KR-10)", async () => {
    const error = streaming(
      event("ERROR", { kind: "Status", code: 500, reason: "InternalError", message: "oops" }),
    );
    await using world = await watching(({ watches }) => watches.push(error, error));
    await eventually(() => world.watchedFrom().length === 3, within);
    expect(world.listsSeen()).toBe(2);
    expect(world.loop.status().reconnects).toEqual({ InternalError: 2 });
  });

  it("keeps its version after ERROR events with an event in between (KR-10)", async () => {
    const error = event("ERROR", { kind: "Status", code: 500, reason: "InternalError", message: "oops" });
    await using world = await watching(({ watches }) =>
      watches.push(streaming(error), streaming(event("ADDED", thing("a", "105")), error)),
    );
    await eventually(() => world.watchedFrom().length === 3, within);
    expect(world.watchedFrom()).toEqual(["100", "100", "105"]);
    expect(world.listsSeen()).toBe(1);
  });

  it.each([
    [
      "an ERROR event",
      streaming(event("ERROR", { kind: "Status", code: 410, reason: "Expired", message: "too old" })),
    ],
    ["the answer itself", failing(410, "Expired")],
  ])("lists again after 410 by %s, spread over 5 s (KR-09)", async (_what, reply) => {
    await using world = await watching(({ lists, watches }) => {
      lists.push(listing([], "100"), listing([thing("a", "190")], "200"));
      watches.push(reply);
    });
    await eventually(() => world.watchedFrom().length === 2, within);
    expect(world.reported).toEqual(["list  at 100", "list a at 200"]);
    expect(world.watchedFrom()).toEqual(["100", "200"]);
    expect(world.delays).toEqual([2_500]);
  });

  it.each([
    ["a garbage line", "this is not JSON\n"],
    ["a line of an unknown type", event("CHANGED", thing("a", "105"))],
    ["an object without version", event("ADDED", { metadata: { name: "a", uid: "u" } })],
    ["a line that is JSON but no object", "17\n"],
  ])("counts %s and lists again (KR-11)", async (_what, line) => {
    await using world = await watching(({ watches }) => watches.push(holding(line)));
    await eventually(() => world.watchedFrom().length === 2, within);
    expect(world.listsSeen()).toBe(2);
    expect(world.loop.status()).toMatchObject({ undecodable: 1, reconnects: { Undecodable: 1 } });
  });

  it("gives up on a line of more than 8 MiB and lists again (KR-11)", async () => {
    const part = Buffer.alloc(1024 * 1024, "x");
    await using world = await watching(({ watches }) =>
      watches.push(holding('{"type":"', ...Array<Buffer>(9).fill(part))),
    );
    await eventually(() => world.watchedFrom().length === 2, within);
    expect(world.listsSeen()).toBe(2);
    expect(world.loop.status().reconnects).toEqual({ TooLarge: 1 });
  });

  it("replaces a silent watch at once and at the same version (KR-07)", async () => {
    await using world = await watching(() => undefined, { idleMs: 20 });
    await eventually(() => world.watchedFrom().length >= 2, within);
    // It may have been silent more often meanwhile, and then it asks with a list.
    const { requests } = world.server;
    const [, second = 0] = requests.flatMap((request, at) => (isWatch(request) ? [at] : []));
    expect(requests.slice(0, second).filter(isList)).toHaveLength(1);
    expect(world.watchedFrom().slice(0, 2)).toEqual(["100", "100"]);
    expect(world.loop.status().reconnects["Idle"]).toBeGreaterThan(0);
    expect(world.delays[0]).toBe(0);
  });

  it("asks with a list of one object after two silent watches, and then allows a quiet server its silence (KR-07)", async () => {
    const serverClock = silentClock();
    await using world = await watching(() => undefined, { serverClock });
    await eventually(() => world.watchedFrom().length === 3, within);
    await eventually(() => serverClock.silences.length === 3, within);
    const lists = world.server.requests.filter(({ query }) => query.get("watch") === null);
    expect(lists.map(({ query }) => query.get("limit"))).toEqual(["500", "1"]);
    expect(world.watchedFrom()).toEqual(["100", "100", "100"]);
    expect(serverClock.silences).toEqual([90_000, 90_000, 460_000]);
    expect(world.warnings()).toEqual([]);
    expect(world.reported).toHaveLength(1);
  });

  it("lists every 30 s in place of a watch that does not show changes, until it does (KR-07)", async () => {
    const serverClock = silentClock();
    const changed = [thing("a", "105")];
    await using world = await watching(
      ({ lists, watches }) => {
        // The first list, the look at one object after two silences, and the lists in place of the watch.
        lists.push(listing([thing("a", "90")], "100"), listing(changed, "110"), listing(changed, "111"));
        lists.push(listing([thing("a", "106")], "112"), listing([thing("a", "107")], "113"));
        watches.push(holding(), holding(), holding(), holding(), holding(bookmark("114")));
      },
      { serverClock },
    );
    await eventually(() => world.loop.status().resourceVersion === "114", within);
    await eventually(() => serverClock.silences.length === 7, within);
    expect(world.loop.status().reconnects["SilentWatch"]).toBe(1);
    expect(serverClock.silences).toEqual([90_000, 90_000, 30_000, 30_000, 30_000, 30_000, 90_000]);
    expect(world.watchedFrom()).toEqual(["100", "100", "111", "112", "113", "114"]);
  });

  it("keeps the idle limit of a server that has sent bookmarks (KR-07)", async () => {
    const serverClock = silentClock();
    await using world = await watching(({ watches }) => watches.push(holding(bookmark("140"))), {
      serverClock,
    });
    await eventually(() => world.watchedFrom().length >= 4, within);
    expect(new Set(serverClock.silences)).toEqual(new Set([90_000]));
  });

  it("takes a line for dead when the list of one object fails, and waits (KR-07, KR-10)", async () => {
    await using world = await watching(
      ({ lists }) => lists.push(listing([]), failing(500, "InternalError")),
      {
        serverClock: silentClock(),
      },
    );
    await eventually(() => world.watchedFrom().length >= 3, within);
    const { Idle = 0, InternalError } = world.loop.status().reconnects;
    // The third watch is soon silent, too.
    expect(Idle).toBeGreaterThanOrEqual(2);
    expect(InternalError).toBe(1);
    expect(world.delays).toContain(375);
  });

  it("lists in pages of 50 after a huge line, and after the second by metadata and one by one (KR-11)", async () => {
    const huge = Buffer.alloc(8 * 1024 * 1024 + 1, "[");
    const known = thing("a", "7");
    const listed = [known, thing("b", "9"), thing("c", "10"), thing("d", "11")];
    await using world = await watching(
      ({ lists, watches, others }) => {
        lists.push(listing([known], "8"), listing([known], "9"), listing(listed, "12"));
        watches.push(holding(huge), holding(huge));
        others.push(
          json(200, thing("b", "9")),
          text(200, Buffer.alloc(11 * 1024 * 1024, "x")),
          failing(404, "NotFound", { details: { name: "d", kind: "things" } }),
        );
      },
      { stored: async ({ name }) => (name === "a" ? known : undefined) },
    );
    await eventually(() => world.watchedFrom().length === 3, within);
    const lists = world.server.requests.filter(({ path }) => path.endsWith("/things"));
    const asked = lists.filter(({ query }) => query.get("watch") === null);
    expect(asked.map(({ query }) => query.get("limit"))).toEqual(["500", "50", "500"]);
    expect(
      asked.map(({ headers }) => String(headers["accept"]).includes("PartialObjectMetadataList")),
    ).toEqual([false, false, true]);
    expect(world.reported).toEqual(["list a at 8", "list a at 9", "list a,b at 12"]);
    const { oversized } = world.loop.status();
    expect(oversized).toContain("too large to follow: default/c; make them smaller");
    expect(world.warnings()).toContain(oversized);
  });

  it("keeps the old snapshot of an object that has become too large (KR-11)", async () => {
    const tooLarge = text(200, Buffer.alloc(11 * 1024 * 1024, "x"));
    await using world = await watching(
      ({ lists, others }) => {
        lists.push(
          text(200, Buffer.alloc(65 * 1024 * 1024, "x")),
          text(200, Buffer.alloc(65 * 1024 * 1024, "x")),
        );
        lists.push(listing([thing("a", "9")], "12"));
        others.push(tooLarge);
      },
      { stored: async () => thing("a", "7") },
    );
    await eventually(() => world.reported.length === 1, within);
    expect(world.reported).toEqual(["list a at 12"]);
  });

  it("refuses what is nested deeper than 64 levels from a server it does not trust (S-14)", async () => {
    const line = (levels: number, name: string) => {
      const object = JSON.stringify({ ...thing(name, "105"), spec: 0 });
      return `{"type":"ADDED","object":${object.replace(/0}$/, nested(levels))}}}\n`;
    };
    const script = ({ watches }: ScriptedServer) => {
      watches.push(holding(line(62, "shallow"), line(63, "deep")));
    };
    await using world = await watching(script, { untrusted: true });
    await eventually(() => world.watchedFrom().length === 2, within);
    expect(world.reported).toEqual(["list  at 100", "changed shallow", "list  at 100"]);
    expect(world.loop.status().reconnects).toEqual({ TooDeep: 1 });
    await using trusting = await watching(script);
    await eventually(() => trusting.reported.length === 3, within);
    expect(trusting.reported).toEqual(["list  at 100", "changed shallow", "changed deep"]);
  });

  it("refuses a page with an object of more than 10 MiB from a server it does not trust (S-14)", async () => {
    const fat = { ...thing("fat", "5"), data: "x".repeat(10 * 1024 * 1024) };
    await using world = await watching(({ lists }) => lists.push(listing([fat]), listing([])), {
      untrusted: true,
    });
    await eventually(() => world.reported.length === 1, within);
    expect(world.loop.status().reconnects).toEqual({ TooLarge: 1 });
  });

  it("lists again as for the first time when what it delivered was lost", async () => {
    await using world = await watching(() => undefined);
    await eventually(() => world.watchedFrom().length === 1, within);
    world.loop.relist();
    await eventually(() => world.watchedFrom().length === 2, within);
    expect(world.firsts).toEqual([true, true]);
    expect(world.loop.status().reconnects).toEqual({});
    world.server.breakConnections();
    await eventually(() => world.watchedFrom().length === 3, within);
    expect(world.listsSeen()).toBe(2);
  });

  it("asks a server soon that answers again after an outage (KR-10)", async () => {
    await using world = await watching(({ watches }) =>
      watches.push(reset, reset, reset, failing(429, "TooManyRequests")),
    );
    await eventually(() => world.watchedFrom().length === 5, within);
    expect(world.delays).toEqual([375, 750, 1_500, 375]);
  });

  it.each([
    ["does not answer", reset, "NoAnswer"],
    ["is away behind a proxy", failing(503, "ServiceUnavailable"), "ServiceUnavailable"],
  ])(
    "asks a server that %s at once when another loop has reached it, and notifies the others (KR-10)",
    async (_how, away, reason) => {
      const clock = virtualClock();
      let [retry, reported] = [(): void => undefined, 0];
      const comeback: Comeback = {
        join(given) {
          retry = given;
          return () => undefined;
        },
        reached() {
          reported += 1;
        },
      };
      await using world = await watching(({ watches }) => watches.push(away, away), { clock, comeback });
      for (const failures of [1, 2]) {
        await eventually(() => world.loop.status().reconnects[reason] === failures, within);
        await eventually(() => world.loop.status().state === "backoff", within);
        expect(reported).toBe(0);
        retry();
      }
      await eventually(() => reported === 1, within);
      expect(world.watchedFrom()).toEqual(["100", "100", "100"]);
    },
  );

  it("does not shorten the pause after an answer that another loop has reached the server (KR-10)", async () => {
    const clock = virtualClock();
    const comeback = createComeback(clock);
    await using world = await watching(({ watches }) => watches.push(failing(429, "TooManyRequests")), {
      clock,
      comeback,
    });
    await eventually(() => world.loop.status().state === "backoff", within);
    comeback.reached();
    await clock.advance(100);
    expect(world.loop.status().state).toBe("backoff");
  });

  it("takes an HTML page or an unasked 404 page for no answer at all and continues (KR-24)", async () => {
    await using world = await watching(({ lists }) =>
      lists.push(text(200, "<html>login</html>"), text(404, "404 page not found"), listing([], "8")),
    );
    await eventually(() => world.reported.length === 1, within);
    expect(world.loop.status().reconnects).toEqual({ Undecodable: 1, TypeNotServed: 1 });
  });

  it("believes that a type is gone after three 404s over 60 s only (KR-10)", async () => {
    let nowMs = 0;
    const clock: Clock = {
      now: () => new Date(nowMs),
      after(delayMs, callback) {
        if (isLimit(delayMs)) return () => undefined;
        nowMs += 25_000;
        const timer = setImmediate(callback);
        return () => clearImmediate(timer);
      },
    };
    await using world = await watching(
      ({ lists }) => lists.push(...Array(5).fill(text(404, "404 page not found"))),
      { clock },
    );
    await eventually(() => world.reported.length === 3, within);
    expect(world.reported).toEqual(["gone", "gone", "list  at 100"]);
  });

  it("gets all pages of a list as one (KC-08)", async () => {
    await using world = await watching(({ lists }) =>
      lists.push(
        listing([thing("a", "1")], "8", "more"),
        failing(410, "Expired"),
        listing([thing("b", "2")], "9"),
      ),
    );
    await eventually(() => world.reported.length === 1, within);
    expect(world.reported).toEqual(["list b at 9"]);
    expect(
      listsTo(world.server)
        .slice(0, 3)
        .map(({ query }) => [query.get("limit"), query.get("continue")]),
    ).toEqual([
      ["500", null],
      ["500", "more"],
      [null, null],
    ]);
  });

  it("is stopped by disposing in whatever state it is (KR-04)", async () => {
    const world = await watching(() => undefined);
    await eventually(() => world.watchedFrom().length === 1, within);
    await world[Symbol.asyncDispose]();
    expect(world.loop.status().state).toBe("stopped");
  });
});
