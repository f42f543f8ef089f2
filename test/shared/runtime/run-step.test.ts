import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../infra/store/memory.ts";
import { Secret } from "../../../shared/api/core.ts";
import { type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import {
  type AnyDecision,
  defineFunction,
  type StepContext,
} from "../../../shared/function/define-function.ts";
import { KubeError, TerminalError, WaitingError } from "../../../shared/function/errors.ts";
import { done, failed, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import type { Log, Store } from "../../../shared/runtime/ports.ts";
import { type Lease, type Outcome, RESTORED } from "../../../shared/runtime/queue-port.ts";
import { runStep } from "../../../shared/runtime/run-step.ts";
import { virtualClock } from "../../support/clock.ts";
import { recordingClients, type SentWrite } from "../../support/recording-clients.ts";
import { recordingLog } from "../../support/recording-log.ts";
import { silentLog } from "../../support/silent-log.ts";
import { Gadget, WIDGET_KEY, WIDGETS, Widget, widget, widgetFence } from "../../support/widget.ts";

const CANARY = "c4n4ry-s3cr3t-v4lue";
const LEAK = `GET https://admin:${CANARY}@a.dev/ with Authorization: Bearer ${CANARY} failed`;

type GrowStep = (
  object: Widget,
  context: StepContext,
) => Promise<AnyDecision & { readonly apply?: { readonly "status.size": number } }>;

function grow(step: GrowStep) {
  return defineFunction(
    {
      name: "widget-grow",
      summary: "Grows.",
      source: "own",
      reconciles: Widget,
      watches: [],
      owns: ["status.size"],
      ownsOn: [{ kind: Gadget, fields: ["spec.size"] }],
      calls: [{ verb: "create", kind: Secret }],
    },
    step,
  );
}

interface Given {
  readonly step: GrowStep;
  readonly lease?: Partial<Lease>;
  readonly store?: Store;
  readonly refuse?: (write: SentWrite) => Error | undefined;
  readonly log?: Log;
  /** What the server has; the snapshot is version 7. */
  readonly liveVersion?: string;
}

async function run(given: Given): Promise<{ outcome: Outcome; sent: readonly SentWrite[] }> {
  const store = given.store ?? (await storeOf(widget()));
  const { liveVersion } = given;
  const served = liveVersion === undefined ? [] : [widget({ resourceVersion: liveVersion })];
  const clients = recordingClients(given.refuse, served);
  const lease: Lease = {
    key: WIDGET_KEY,
    runId: "r1",
    causes: [],
    failures: 0,
    again: 0,
    fences: [],
    signal: new AbortController().signal,
    ...given.lease,
  };
  const context = { store, clients, clock: virtualClock(), log: given.log ?? silentLog };
  return { outcome: await runStep(grow(given.step), lease, context), sent: clients.sent };
}

async function storeOf(...widgets: readonly Widget[]): Promise<Store> {
  const store = createMemoryStore();
  await store.advance(WIDGETS, { ready: true, resourceVersion: "7" });
  for (const one of widgets) await store.put(WIDGETS, one);
  return store;
}

const decides =
  (decision: Awaited<ReturnType<GrowStep>>): GrowStep =>
  async () =>
    decision;
const conflict = () =>
  new KubeError({
    class: "Conflict",
    status: 409,
    reason: "Conflict",
    message: "the object has been modified",
  });
const invalid = () =>
  new KubeError({ class: "Terminal", status: 422, reason: "Invalid", message: "status.size: must be even" });
const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "default" } };

describe("a run", () => {
  it("hands the step the snapshot and the time, and sends what it decides", async () => {
    const seen: unknown[] = [];
    const { outcome, sent } = await run({
      step: async (object, { now }) => {
        seen.push(object.metadata.resourceVersion, now.toISOString());
        return { apply: { "status.size": 4 }, result: done };
      },
    });
    expect(seen).toEqual(["7", "2026-01-01T00:00:00.000Z"]);
    expect(sent.map(({ verb, subresource }) => `${verb} ${subresource}`)).toEqual(["apply status"]);
    expect(outcome).toEqual({
      type: "ok",
      requested: true,
      notBeforeMs: undefined,
      fences: [widgetFence("1001")],
    });
  });

  it("ends idle and without the step when the object is gone", async () => {
    const { outcome } = await run({
      store: await storeOf(),
      step: async () => {
        throw new Error("the step must not run");
      },
    });
    expect(outcome).toEqual({ type: "ok", requested: false, fences: [] });
  });

  describe("whose patch of a Node is refused", () => {
    const node = { cluster: MANAGEMENT, kind: Gadget, namespace: "default", name: "g", uid: "u1" };
    const patch = [{ target: node, operations: [{ op: "remove", path: "/spec/size" }] }] as const;
    const refused = (failures: number) =>
      run({
        step: decides({ patch, result: done } as unknown as Awaited<ReturnType<GrowStep>>),
        lease: { failures },
        refuse: ({ verb }) =>
          verb === "jsonPatch"
            ? new KubeError({ class: "Conflict", status: 422, reason: "Invalid", message: "refused" })
            : undefined,
      });
    const events = (sent: readonly SentWrite[]) => sent.filter(({ kind }) => kind === "Event");

    it("fails, so that backoff and attempts bound the requests, instead of running again at once", async () => {
      const { outcome, sent } = await refused(0);
      expect(outcome).toMatchObject({ type: "error", terminal: false, failure: { reason: "PatchRefused" } });
      expect(events(sent)).toEqual([]);
    });

    it("says so in a Warning Event from the third refusal on", async () => {
      expect(events((await refused(1)).sent)).toEqual([]);
      expect(events((await refused(2)).sent)).toHaveLength(1);
    });
  });

  it("passes on what the step waits for, when it wants to run again, and its floor", async () => {
    expect((await run({ step: decides({ result: waitFor("Gadget.status.ready") }) })).outcome).toMatchObject({
      type: "ok",
      waitingFor: "Gadget.status.ready",
    });
    const requeued = await run({
      step: decides({ result: requeueAfter(500, "the grace period"), notBeforeMs: 50 }),
    });
    expect(requeued.outcome).toMatchObject({ type: "ok", afterMs: 500, notBeforeMs: 50, requested: false });
  });

  it("sends nothing of a decision that writes what the function does not own, and fails as a bug", async () => {
    const { outcome, sent } = await run({
      step: async () => ({ apply: { "status.size": 4, "status.note": "mine" }, result: done }),
    });
    expect(sent).toEqual([]);
    expect(outcome).toMatchObject({ type: "error", terminal: false, failure: { class: "Transient" } });
    expect(outcome.type === "error" && outcome.failure.message).toMatch(/^bug: /);
  });

  it("calls a key that is none, or one of another kind, terminal", async () => {
    for (const key of ["nonsense", "default/-|Gadget|default/w"]) {
      const { outcome } = await run({ step: decides({ result: done }), lease: { key } });
      expect(outcome).toMatchObject({ type: "error", terminal: true, failure: { reason: "MalformedKey" } });
    }
  });
});

describe("the freshness barrier", () => {
  it("puts a run off while the snapshot is older than what the key wrote before, without counting it", async () => {
    const { outcome } = await run({
      step: async () => {
        throw new Error("the step must not run");
      },
      lease: { fences: [widgetFence("8")] },
    });
    expect(outcome).toEqual({ type: "again", afterMs: 100, fences: [widgetFence("8")] });
  });

  it("lets a run through once the snapshot has reached the version, or passed it after a lost race", async () => {
    expect(
      (await run({ step: decides({ result: done }), lease: { fences: [widgetFence("7")] } })).outcome.type,
    ).toBe("ok");
    const lost = { fences: [widgetFence("7", true)] };
    expect((await run({ step: decides({ result: done }), lease: lost })).outcome.type).toBe("again");
    const store = await storeOf(widget({ resourceVersion: "9" }));
    expect((await run({ store, step: decides({ result: done }), lease: lost })).outcome.type).toBe("ok");
  });

  it("does not take an object that is gone for a stale one", async () => {
    const store = await storeOf();
    await store.advance(WIDGETS, { resourceVersion: "12" });
    const { outcome } = await run({
      store,
      step: decides({ result: done }),
      lease: { fences: [widgetFence("9")] },
    });
    expect(outcome).toEqual({ type: "ok", requested: false, fences: [] });
  });

  it("does not wait for kinds that the read model never holds", async () => {
    const fence = { ...widgetFence("40"), group: "", kind: "Secret", name: "s" };
    const { outcome } = await run({ step: decides({ result: done }), lease: { fences: [fence] } });
    expect(outcome).toEqual({ type: "ok", requested: false, notBeforeMs: undefined, fences: [] });
  });

  it("reads live after fifty looks, and keeps the version it saw as the fence of the next run", async () => {
    const seen: unknown[] = [];
    const { outcome } = await run({
      step: async ({ metadata }) => {
        seen.push(metadata.resourceVersion);
        return { result: done };
      },
      lease: { again: 50, fences: [widgetFence("8")] },
      liveVersion: "11",
    });
    expect(seen).toEqual(["11"]);
    expect(outcome.fences).toEqual([widgetFence("11")]);
  });

  it("F-05 waits for the read model to show the change that has woken it, and reads live after fifty looks", async () => {
    const causes = [{ what: "Widget default/w", resourceVersion: "9" }];
    const store = await storeOf(widget());
    const step = decides({ result: done });
    const { outcome, sent } = await run({ store, step, lease: { causes } });
    expect(outcome).toEqual({ type: "again", afterMs: 100, fences: [widgetFence("9")] });
    expect(sent).toEqual([]);
    const late = { again: 50, causes, fences: [widgetFence("9")] };
    expect((await run({ store, step, lease: late, liveVersion: "9" })).outcome).toMatchObject({ type: "ok" });
    const restored = [...causes, { what: RESTORED }];
    expect((await run({ store, step, lease: { causes: restored } })).outcome).toMatchObject({ type: "ok" });
  });

  it("F-05 keeps the fence of an object that is gone while the read model still shows what was before", async () => {
    const store = await storeOf(widget());
    const step = decides({ result: done });
    const fences = [widgetFence("8")];
    const { outcome } = await run({ store, step, lease: { again: 50, fences } });
    expect(outcome).toMatchObject({ type: "ok", fences });
    const restored = { again: 50, fences, causes: [{ what: RESTORED }] };
    expect((await run({ store, step, lease: restored })).outcome).toMatchObject({ type: "ok", fences: [] });
    await store.drop(WIDGETS);
    await store.advance(WIDGETS, { ready: true, resourceVersion: "12" });
    expect((await run({ store, step, lease: { fences } })).outcome).toMatchObject({ type: "ok", fences: [] });
  });

  it("F-05 fences the next run behind all that it listed live, objects without a fence included", async () => {
    const whole = { ...widgetFence("12"), namespace: "", name: "" };
    const step: GrowStep = async (_, { read }) => {
      await read.list(Widget, { namespace: "default" });
      return { result: done };
    };
    const lease = { again: 50, fences: [widgetFence("8")] };
    expect((await run({ step, lease, liveVersion: "12" })).outcome.fences).toEqual([whole]);
    const store = await storeOf(widget());
    expect((await run({ store, step, lease: { fences: [whole] } })).outcome).toMatchObject({ type: "again" });
    await store.advance(WIDGETS, { resourceVersion: "12" });
    expect((await run({ store, step, lease: { fences: [whole] } })).outcome).toMatchObject({
      type: "ok",
      fences: [],
    });
  });

  it("does not wait for the versions of a server that was restored: it reads live, and forgets the rest (KR-12)", async () => {
    const gadget = { ...widgetFence("90"), kind: "Gadget" };
    const store = await storeOf(widget());
    await store.advance({ ...WIDGETS, kind: "Gadget" }, { ready: true, resourceVersion: "9" });
    const { outcome } = await run({
      store,
      step: decides({ result: done }),
      lease: { causes: [{ what: RESTORED }], fences: [widgetFence("80"), gadget] },
      liveVersion: "9",
    });
    expect(outcome).toEqual({
      type: "ok",
      requested: false,
      notBeforeMs: undefined,
      fences: [widgetFence("9")],
    });
  });

  it("fences the next run behind its own write rather than behind what it read live", async () => {
    const { outcome } = await run({
      step: decides({ apply: { "status.size": 4 }, result: done }),
      lease: { again: 50, fences: [widgetFence("8")] },
      liveVersion: "11",
    });
    expect(outcome.fences).toEqual([widgetFence("1001")]);
  });

  it("keeps the fence of an object that it could not look at", async () => {
    const gadget = { ...widgetFence("9"), kind: "Gadget" };
    const store = await storeOf(widget());
    await store.advance({ ...WIDGETS, kind: "Gadget" }, { ready: true, resourceVersion: "3" });
    const { outcome } = await run({
      store,
      step: decides({ result: done }),
      lease: { again: 50, fences: [gadget] },
    });
    expect(outcome.fences).toEqual([gadget]);
  });

  it("keeps the fences when the first list of the kind is not complete, and backs off up to 5 s", async () => {
    const store = createMemoryStore();
    await store.advance({ ...WIDGETS, kind: "Gadget" }, { ready: true, resourceVersion: "3" });
    const fence = { ...widgetFence("9"), kind: "Gadget" };
    const waits = await Promise.all(
      [0, 3, 10].map(
        async (again) => (await run({ store, step: decides({ result: done }), lease: { again } })).outcome,
      ),
    );
    expect(waits).toEqual([
      { type: "again", afterMs: 100, fences: [] },
      { type: "again", afterMs: 800, fences: [] },
      { type: "again", afterMs: 5_000, fences: [] },
    ]);
    const late = await run({ store, step: decides({ result: done }), lease: { again: 60, fences: [fence] } });
    expect(late.outcome).toEqual({ type: "again", afterMs: 5_000, fences: [fence] });
  });
});

describe("a run that fails", () => {
  it("comes back behind the version it lost against, and not as an attempt", async () => {
    const { outcome } = await run({
      step: decides({ apply: { "status.size": 4 }, result: done }),
      refuse: conflict,
    });
    expect(outcome).toEqual({ type: "again", afterMs: 100, fences: [widgetFence("7", true)] });
  });

  it("counts a race that is lost again and again as a failure", async () => {
    const { outcome } = await run({
      step: decides({ apply: { "status.size": 4 }, result: done }),
      refuse: conflict,
      lease: { again: 50 },
    });
    expect(outcome).toMatchObject({ type: "error", terminal: false, failure: { class: "Conflict" } });
  });

  it("waits, and counts nothing, when a workload cluster is not connected or does not answer", async () => {
    const thrown = [
      new WaitingError("Connection default/c1"),
      new KubeError({ class: "Waiting", status: 0, reason: "NoAnswer", message: "no answer" }),
    ];
    for (const error of thrown) {
      const { outcome } = await run({
        step: async () => {
          throw error;
        },
      });
      expect(outcome).toMatchObject({ type: "ok", requested: false, waitingFor: expect.any(String) });
    }
  });

  it("backs off after anything else, whatever was thrown", async () => {
    const { outcome } = await run({
      step: async () => {
        throw new RangeError("too large");
      },
    });
    expect(outcome).toMatchObject({
      type: "error",
      terminal: false,
      failure: { class: "Transient", reason: "RangeError", message: "too large" },
    });
    const odd = await run({ step: () => Promise.reject("a text") });
    expect(odd.outcome).toMatchObject({ failure: { reason: "Unknown", message: "a text" } });
  });

  it("keeps its fences when the read model cannot be asked", async () => {
    const store = await storeOf(widget());
    const down: Store = { ...store, get: () => Promise.reject(new Error("Redis is away")) };
    const { outcome } = await run({
      store: down,
      step: decides({ result: done }),
      lease: { fences: [widgetFence("8")] },
    });
    expect(outcome).toMatchObject({ type: "error", terminal: false, fences: [widgetFence("8")] });
  });

  it("still remembers what it wrote before", async () => {
    const { outcome } = await run({
      step: decides({
        create: [{ cluster: MANAGEMENT, kind: Secret, object: secret }],
        apply: { "status.size": 4 },
        result: done,
      }),
      refuse: ({ verb }) => (verb === "apply" ? invalid() : undefined),
    });
    expect(outcome).toMatchObject({
      type: "error",
      requested: true,
      fences: [expect.objectContaining({ kind: "Secret", resourceVersion: "1001" })],
    });
  });

  it("sends nothing and no Event once the lease is lost", async () => {
    const lost = new AbortController();
    const { outcome, sent } = await run({
      step: async () => {
        lost.abort(new Error("lease lost"));
        throw new TerminalError("Odd", "not to be told");
      },
      lease: { signal: lost.signal },
    });
    expect(sent).toEqual([]);
    expect(outcome.type).toBe("error");
  });
});

describe("a terminal failure", () => {
  const told = {
    kind: "Event",
    body: expect.objectContaining({ type: "Warning", reason: "Odd", message: "m" }),
  };

  it("shows up as a Warning Event on the object when the step throws it", async () => {
    const { outcome, sent } = await run({
      step: async () => {
        throw new TerminalError("Odd", "m");
      },
    });
    expect(outcome).toMatchObject({
      type: "error",
      terminal: true,
      failure: { reason: "Odd", message: "m" },
    });
    expect(sent).toEqual([expect.objectContaining(told)]);
    expect(sent[0]?.body).toMatchObject({ involvedObject: { kind: "Widget", name: "w", uid: "uid-w" } });
  });

  it("shows up when the server finds the object invalid", async () => {
    const { outcome, sent } = await run({
      step: decides({ apply: { "status.size": 4 }, result: done }),
      refuse: ({ kind }) => (kind === "Widget" ? invalid() : undefined),
    });
    expect(outcome).toMatchObject({ type: "error", terminal: true, failure: { reason: "Invalid" } });
    expect(sent.at(-1)?.body).toMatchObject({ reason: "Invalid", message: "status.size: must be even" });
  });

  it("shows up when the step decides it, after the writes of the decision", async () => {
    const { outcome, sent } = await run({
      step: decides({ apply: { "status.size": 4 }, result: failed("Odd", "m") }),
    });
    expect(outcome).toMatchObject({
      type: "error",
      terminal: true,
      requested: true,
      fences: [widgetFence("1001")],
    });
    expect(sent.map(({ kind }) => kind)).toEqual(["Widget", "Event"]);
  });

  it("is told once when the decision has an Event of the same reason and message", async () => {
    const { sent } = await run({
      step: decides({
        events: [{ type: "Warning", reason: "Odd", message: "m" }],
        result: failed("Odd", "m"),
      }),
    });
    expect(sent).toEqual([expect.objectContaining(told)]);
  });

  it("keeps its outcome when the Event is refused", async () => {
    const { outcome } = await run({
      step: decides({ result: failed("Odd", "m") }),
      refuse: () => new Error("no"),
    });
    expect(outcome).toMatchObject({ type: "error", terminal: true, failure: { reason: "Odd" } });
  });
});

describe("F-15: a run id", () => {
  it("stands in every request, in the record of a failure and in the log, with what explains the run", async () => {
    const { log, lines } = recordingLog();
    const lease = {
      runId: "0123456789abcdef",
      causes: [{ what: "Widget default/w", resourceVersion: "7" }, { what: "resync" }],
    };
    const step: GrowStep = async () => ({
      apply: { "status.size": 4 },
      events: [{ type: "Normal", reason: "Grown", message: "m" }],
      result: requeueAfter(5_000, "growth"),
    });
    const { sent } = await run({ log, lease, step });
    expect(sent.map(({ kind, runId }) => `${kind} ${runId}`)).toEqual([
      "Widget 0123456789abcdef",
      "Event 0123456789abcdef",
    ]);
    expect(lines).toMatchObject([
      {
        level: "info",
        fields: {
          run: "0123456789abcdef",
          cause: ["Widget default/w@7", "resync"],
          read: ["Widget default/w@7"],
          outcome: "ok",
          requests: 1,
          next: "in 5000 ms",
        },
      },
    ]);
    const failed = await run({ log, lease, step: () => Promise.reject(new Error("no")) });
    expect(failed.outcome).toMatchObject({ record: { runId: "0123456789abcdef" } });
  });
});

describe("the log of a run", () => {
  it("names function, key, causes and outcome, and warns of failures with their number", async () => {
    const lines: object[] = [];
    const log: Log = {
      ...silentLog,
      debug: (fields) => lines.push(fields),
      warn: (fields) => lines.push(fields),
    };
    const lease = { causes: [{ what: "Widget default/w" }], failures: 2 };
    await run({ log, lease, step: decides({ result: waitFor("Gadget.status.ready") }) });
    await run({ log, lease, step: () => Promise.reject(new Error("no")) });
    expect(lines).toEqual([
      expect.objectContaining({
        function: "widget-grow",
        key: WIDGET_KEY,
        cause: ["Widget default/w"],
        outcome: "ok",
        requests: 0,
        durationMs: 0,
        waitingFor: "Gadget.status.ready",
      }),
      expect.objectContaining({ outcome: "error", failures: 3 }),
    ]);
  });
});

describe("a failure that quotes a secret", () => {
  it.each([
    ["throws a terminal error", () => Promise.reject(new TerminalError("Odd", LEAK))],
    ["decides to fail", decides({ result: failed("Odd", LEAK) })],
    ["throws any error", () => Promise.reject(new Error(LEAK))],
    ["waits for what is named in a wrong way", decides({ result: waitFor(LEAK) })],
    ["runs again for a reason", decides({ result: requeueAfter(1, LEAK) })],
    ["sends an Event", decides({ events: [{ type: "Normal", reason: "Odd", message: LEAK }], result: done })],
  ] as const satisfies readonly (readonly [string, GrowStep])[])(
    "is stored, logged and told without it when the step %s",
    async (_, step) => {
      const { log, lines } = recordingLog();
      const { outcome, sent } = await run({ log, step });
      // What was thrown stays as it is for the letter, which is redacted with the key of the installation.
      const { record: _record, ...stored } = { record: undefined, ...outcome };
      const told = JSON.stringify([stored, lines, sent]);
      expect(told).toContain("hmac-sha256:*");
      expect(told).not.toContain(CANARY);
    },
  );

  it("is told in one Event, although the decision has told it already", async () => {
    const { sent } = await run({
      step: decides({
        events: [{ type: "Warning", reason: "Odd", message: LEAK }],
        result: failed("Odd", LEAK),
      }),
    });
    const names = sent.map(({ body }) => (body as KubeObject).metadata.name);
    expect(new Set(names).size).toBe(1);
    expect(JSON.stringify(sent)).not.toContain(CANARY);
  });
});

describe("a run that comes back after its lease", () => {
  const lost = (): { readonly signal: AbortSignal; readonly checkHeld: () => void } => {
    const controller = new AbortController();
    const checkHeld = (): void => controller.abort(new Error("the lease expired"));
    return { signal: controller.signal, checkHeld };
  };

  it.each([
    ["done", decides({ result: done })],
    ["a failure for good", decides({ result: failed("Odd", "m") })],
    ["an error", () => Promise.reject(new Error("no"))],
  ] as const satisfies readonly (readonly [string, GrowStep])[])(
    "says nothing of its outcome when that is %s",
    async (_, step) => {
      const { log, lines } = recordingLog();
      const { outcome, sent } = await run({ log, step, lease: lost() });
      expect(outcome).toMatchObject({
        type: "error",
        terminal: false,
        failure: { reason: "CutOff", message: "the lease expired" },
      });
      expect(sent).toEqual([]);
      expect(lines).toEqual([
        {
          level: "warn",
          message: "run cut off",
          fields: expect.objectContaining({ outcome: "dropped", why: "the lease expired" }),
        },
      ]);
      expect(lines[0]?.fields).not.toHaveProperty("next");
    },
  );
});
