import { describe, expect, it } from "vitest";
import { Secret } from "../../../shared/api/core.ts";
import { type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { KubeError, TerminalError, WaitingError } from "../../../shared/function/errors.ts";
import { done, failed, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import { REFUSED_FIELDS } from "../../../shared/rules/metadata/refused-write.ts";
import type { Log, Store } from "../../../shared/runtime/ports.ts";
import { NotListedError } from "../../../shared/runtime/read/listed.ts";
import type { SentEvents } from "../../../shared/runtime/write/send-events.ts";
import type { SentWrite } from "../../support/recording-clients.ts";
import { recordingLog } from "../../support/recording-log.ts";
import { silentLog } from "../../support/silent-log.ts";
import { Gadget, WIDGET_KEY, WIDGETS, type Widget, widget, widgetFence } from "../../support/widget.ts";
import { decides, type GrowStep, runWidget as run, storeOf } from "../../support/widget-run.ts";

const CANARY = "c4n4ry-s3cr3t-v4lue";
const LEAK = `GET https://admin:${CANARY}@a.dev/ with Authorization: Bearer ${CANARY} failed`;

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

  it("hands the step the time of the ledger, whatever the clock of its worker says", async () => {
    const seen: string[] = [];
    const { record } = await run({
      lease: { claimedAt: new Date("2026-01-01T00:00:30Z") },
      step: async (_, { now }) => {
        seen.push(now.toISOString());
        return { result: done };
      },
    });
    expect(seen).toEqual(["2026-01-01T00:00:30.000Z"]);
    expect(record.clock?.toISOString()).toBe("2026-01-01T00:00:30.000Z");
  });

  it("sends nothing but Events once its claim is too old, and decides again", async () => {
    let isFresh = true;
    const { outcome, sent } = await run({
      lease: { isFresh: () => isFresh },
      step: async () => {
        isFresh = false;
        return {
          create: [{ cluster: MANAGEMENT, kind: Secret, object: secret }],
          apply: { "status.size": 4 },
          result: done,
        };
      },
    });
    expect(sent).toEqual([]);
    expect(outcome).toEqual({ type: "retry", afterMs: 100, fences: [] });
  });

  it("sends the first of two writes and leaves the other one to the next run", async () => {
    let writes = 0;
    const { outcome, sent } = await run({
      lease: { isFresh: () => writes === 0 },
      refuse: () => {
        writes += 1;
        return undefined;
      },
      step: decides({
        create: [{ cluster: MANAGEMENT, kind: Secret, object: secret }],
        apply: { "status.size": 4 },
        events: [{ type: "Normal", reason: "Available", message: "made" }],
        result: done,
      }),
    });
    expect(sent.map(({ kind }) => kind)).toEqual(["Secret", "Event"]);
    expect(outcome).toMatchObject({ type: "retry" });
  });

  it("ends idle and without the step when the object is gone, or has changed hands", async () => {
    for (const store of [await storeOf(), await storeOf(widget({ isElsewhere: true }))]) {
      const { outcome } = await run({
        store,
        step: async () => {
          throw new Error("the step must not run");
        },
      });
      expect(outcome).toEqual({ type: "ok", requested: false, fences: [] });
    }
  });

  it("stands back beside another controller: it comes again, has no failure, and one Event says so", async () => {
    const foreign = { manager: "rival", until: "2026-01-01T00:03:00Z" };
    const { outcome, sent } = await run({
      store: await storeOf(widget({ foreign })),
      step: async () => {
        throw new Error("the step must not run");
      },
    });
    expect(outcome).toMatchObject({ type: "ok", requested: false, afterMs: 180_000 });
    expect(sent.map(({ kind, body }) => [kind, Reflect.get(body as object, "reason")])).toEqual([
      ["Event", "ForeignController"],
    ]);
  });

  it("names a webhook that is away by an Event, and comes again", async () => {
    const message = 'failed calling webhook "a.example.com": Post "https://a.svc/": no endpoints';
    const away = new KubeError({ class: "Transient", status: 500, reason: "InternalError", message });
    const create = [{ cluster: MANAGEMENT, kind: Secret, object: secret } as const];
    const { outcome, sent } = await run({
      step: decides({ create, result: done }),
      refuse: ({ kind }) => (kind === "Secret" ? away : undefined),
    });
    expect(outcome).toMatchObject({ type: "error", terminal: false });
    const said = sent.filter(({ kind }) => kind === "Event").map(({ body }) => Object(body).message);
    expect(said).toEqual([expect.stringContaining('webhook "a.example.com"')]);
  });

  describe("whose create is refused", () => {
    const denied = new KubeError({
      class: "Terminal",
      status: 422,
      reason: "Invalid",
      message: `create Secret default/s: secrets "s" is forbidden: ValidatingAdmissionPolicy 'none' with binding 'all' denied request: ask Ann`,
    });
    const noted =
      "widget-grow: create Secret: secrets is forbidden: ValidatingAdmissionPolicy 'none' with binding 'all' denied request: ask Ann";
    const annotated = (text: string) => widget({ annotations: { "capstan.dev/refused": text } });
    const creates = { cluster: MANAGEMENT, kind: Secret, object: secret } as const;
    const notesOf = (sent: readonly SentWrite[]) =>
      sent.flatMap(({ kind, operations = [] }) =>
        kind === "Widget" ? operations.filter(({ op }) => op !== "test") : [],
      );

    it.each([
      ["fails", creates],
      ["may fail", { ...creates, ifFails: { event: "FailedCreate", againAfterMs: 15_000 } }],
    ])("notes the words of the server on its object where the create %s", async (_, create) => {
      const given = { notes: REFUSED_FIELDS, step: decides({ create: [create], result: done }) };
      const refuse = ({ verb }: SentWrite) => (verb === "create" ? denied : undefined);
      const { sent } = await run({ ...given, refuse });
      expect(notesOf(sent)).toEqual([
        { op: "add", path: "/metadata/annotations", value: { "capstan.dev/refused": noted } },
      ]);
      const again = await run({ ...given, refuse, store: await storeOf(annotated(noted)) });
      expect(notesOf(again.sent)).toEqual([]);
      // Another writer of the object does not keep it from being said.
      const other = await run({ ...given, refuse, store: await storeOf(annotated("widget-grow: no")) });
      expect(other.sent.find(({ kind }) => kind === "Widget")?.operations).toEqual([
        { op: "test", path: "/metadata/uid", value: "uid-w" },
        { op: "add", path: "/metadata/annotations/capstan.dev~1refused", value: noted },
      ]);
    });

    it("takes it back once nothing is refused and nothing awaited, and leaves what another function noted", async () => {
      const leftOn = async (object: Widget, result: ReturnType<typeof waitFor>) => {
        const given = { notes: REFUSED_FIELDS, step: decides({ result }) };
        return notesOf((await run({ ...given, store: await storeOf(object) })).sent);
      };
      const left = async (text: string, result: ReturnType<typeof waitFor>) =>
        leftOn(annotated(text), result);
      expect(await left(noted, done)).toEqual([
        { op: "remove", path: "/metadata/annotations/capstan.dev~1refused" },
      ]);
      expect(await left(noted, waitFor("Cluster.spec.paused"))).toEqual([]);
      expect(await left("widget-other: no", done)).toEqual([]);
      const annotations = { "capstan.dev/refused": noted, "cluster.x-k8s.io/paused": "" };
      expect(await leftOn(widget({ annotations }), done)).toEqual([]);
      const deletionTimestamp = "2026-01-01T00:00:00Z";
      const going = { annotations: { "capstan.dev/refused": noted }, deletionTimestamp };
      expect(await leftOn(widget(going), done)).toEqual([]);
    });

    it("F-05 does not read its object again as it was before the note", async () => {
      const given = { notes: REFUSED_FIELDS, step: decides({ result: done }) };
      const { outcome } = await run({ ...given, store: await storeOf(annotated(noted)) });
      expect(outcome.fences).toMatchObject([{ kind: "Widget", name: "w" }]);
    });
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

  it("calls a malformed key, or one of another kind, terminal", async () => {
    for (const key of ["nonsense", "default/-|Gadget|default/w"]) {
      const { outcome } = await run({ step: decides({ result: done }), lease: { key } });
      expect(outcome).toMatchObject({ type: "error", terminal: true, failure: { reason: "MalformedKey" } });
    }
  });
});

describe("a run that fails", () => {
  it("comes back behind the version it lost against, and not as an attempt", async () => {
    const { outcome } = await run({
      step: decides({ apply: { "status.size": 4 }, result: done }),
      refuse: conflict,
    });
    expect(outcome).toEqual({ type: "retry", afterMs: 100, fences: [widgetFence("7", true)] });
  });

  it("counts a race that is lost again and again as a failure", async () => {
    const { outcome } = await run({
      step: decides({ apply: { "status.size": 4 }, result: done }),
      refuse: conflict,
      lease: { retries: 16 },
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
    const down: Store = { ...store, read: () => Promise.reject(new Error("Redis is away")) };
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
        throw new TerminalError("Odd", "without an Event");
      },
      lease: { signal: lost.signal },
    });
    expect(sent).toEqual([]);
    expect(outcome.type).toBe("error");
  });
});

describe("a right that is missing", () => {
  const message =
    'apply Widget default/w: User "system:serviceaccount:a:b" cannot patch resource "widgets/status" in API group "a.dev" in the namespace "default"; to allow it there: kubectl create role x';
  const forbidden = () => new KubeError({ class: "Transient", status: 403, reason: "Forbidden", message });

  it("is retried, and shows up as an Event that says how to grant it", async () => {
    const { outcome, sent } = await run({
      step: decides({ apply: { "status.size": 4 }, result: done }),
      refuse: ({ kind }) => (kind === "Widget" ? forbidden() : undefined),
    });
    expect(outcome).toMatchObject({ type: "error", terminal: false, failure: { reason: "Forbidden" } });
    expect(sent.at(-1)).toMatchObject({
      kind: "Event",
      body: { type: "Warning", reason: "Forbidden", message },
    });
  });
});

describe("a list that the server refuses to the relay", () => {
  const refusal =
    'User "system:serviceaccount:a:relay" cannot list resource "gadgets" in API group "a.dev" at the cluster scope; to allow it there: kubectl create clusterrole x';

  it("is waited for, and shows up once as an Event about the object that waits", async () => {
    const sentEvents: SentEvents = new Map();
    const step = () => Promise.reject(new NotListedError(WIDGETS, refusal));
    const { outcome, sent } = await run({ step, sentEvents });
    expect(outcome).toMatchObject({ type: "retry" });
    const message = `the list of Widget on management is not complete: ${refusal}`;
    expect(sent).toEqual([
      expect.objectContaining({
        kind: "Event",
        body: expect.objectContaining({ type: "Warning", reason: "Forbidden", message }),
      }),
    ]);
    expect((await run({ step, sentEvents })).sent).toEqual([]);
  });

  it("causes no Event while it is only not complete", async () => {
    const { outcome, sent } = await run({
      step: () => Promise.reject(new NotListedError(WIDGETS)),
    });
    expect(outcome).toMatchObject({ type: "retry" });
    expect(sent).toEqual([]);
  });
});

describe("a terminal failure", () => {
  const reported = {
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
    expect(sent).toEqual([expect.objectContaining(reported)]);
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

  it("is reported once when the decision has an Event of the same reason and message", async () => {
    const { sent } = await run({
      step: decides({
        events: [{ type: "Warning", reason: "Odd", message: "m" }],
        result: failed("Odd", "m"),
      }),
    });
    expect(sent).toEqual([expect.objectContaining(reported)]);
  });

  it("keeps its outcome when the Event is refused", async () => {
    const { outcome } = await run({
      step: decides({ result: failed("Odd", "m") }),
      refuse: () => new Error("no"),
    });
    expect(outcome).toMatchObject({ type: "error", terminal: true, failure: { reason: "Odd" } });
  });
});

describe("the record of a run", () => {
  const applies = decides({ apply: { "status.size": 4 }, result: done });
  const cutOff = AbortSignal.abort(new Error("the lease expired"));

  it.each([
    ["ends well", {}, { type: "ok" }, ["apply"]],
    ["waits for its snapshot", { lease: { fences: [widgetFence("8")] } }, { type: "retry" }, []],
    ["fails", { refuse: invalid }, { type: "error" }, ["apply"]],
    ["is cut off", { lease: { signal: cutOff } }, { failure: { reason: "CutOff" } }, []],
  ])("comes with its outcome when the run %s", async (_, given, expected, verbs) => {
    const { outcome, record } = await run({ step: applies, ...given });
    expect(outcome).toMatchObject(expected);
    expect(record.writes.map(({ verb }) => verb)).toEqual(verbs);
    expect(record.runId).toBe("r1");
  });
});

describe("a run id", () => {
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
    expect(failed.record).toMatchObject({ runId: "0123456789abcdef" });
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
    "is stored, logged and reported without it when the step %s",
    async (_, step) => {
      const { log, lines } = recordingLog();
      const { outcome, sent } = await run({ log, step });
      // The error stays as it is for the letter, which is redacted with the key of the installation.
      const { record: _record, ...stored } = { record: undefined, ...outcome };
      const reported = JSON.stringify([stored, lines, sent]);
      expect(reported).toContain("hmac-sha256:*");
      expect(reported).not.toContain(CANARY);
    },
  );

  it("is reported in one Event, although the decision has reported it already", async () => {
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
