import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { MINUTE } from "../../../../shared/function/backoff.ts";
import {
  type AnyFunction,
  defineFunction,
  type Notice,
} from "../../../../shared/function/define-function.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { done } from "../../../../shared/function/result.ts";
import type { Log } from "../../../../shared/runtime/ports.ts";
import { isFirstOf, type SentEvents, sendEvents } from "../../../../shared/runtime/write/send-events.ts";
import { virtualClock } from "../../../support/clock.ts";
import { recordingClients } from "../../../support/recording-clients.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { Widget, widget } from "../../../support/widget.ts";

const grow: AnyFunction = defineFunction(
  { name: "widget-grow", summary: "Grows.", source: "own", reconciles: Widget, watches: [], owns: [] },
  async () => ({ result: done }),
);
const odd: Notice = { type: "Warning", reason: "Odd", message: "m" };

async function send(
  notices: readonly Notice[],
  { object = widget() as KubeObject, refusal = undefined as Error | undefined } = {},
) {
  const warnings: object[] = [];
  const log: Log = { ...silentLog, warn: (fields) => warnings.push(fields) };
  const clients = recordingClients(() => refusal);
  const signal = new AbortController().signal;
  await sendEvents(notices, { function: grow, object, clients, clock: virtualClock(), log, signal });
  return { sent: clients.sent, events: clients.sent.map(({ body }) => body as KubeObject), warnings };
}

describe("a subject of which one Event is enough", () => {
  it("is the first one again after an hour", () => {
    const sentEvents: SentEvents = new Map();
    const at = (minutes: number) => new Date(minutes * MINUTE);
    expect([0, 1, 59, 60].map((minutes) => isFirstOf("a right", sentEvents, at(minutes)))).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(isFirstOf("another", sentEvents, at(60))).toBe(true);
    expect(isFirstOf("a right", undefined, at(0))).toBe(true);
  });
});

describe("an Event", () => {
  it("names the object, the function and the time, so that kubectl describe shows it", async () => {
    const { sent, events } = await send([odd]);
    expect(sent[0]).toMatchObject({ verb: "create", kind: "Event", as: "widget-grow" });
    expect(events[0]).toMatchObject({
      metadata: { namespace: "default" },
      involvedObject: { apiVersion: "test.dev/v1", kind: "Widget", name: "w", uid: "uid-w" },
      type: "Warning",
      reason: "Odd",
      message: "m",
      source: { component: "capstan-widget-grow" },
      firstTimestamp: "2026-01-01T00:00:00Z",
      count: 1,
    });
  });

  it("is sent again in the same words on another occasion", async () => {
    const reported = { ...odd, occasion: "2026-01-01T11:00:00Z" };
    const { events } = await send([odd, reported, { ...reported, occasion: "2026-01-01T12:00:00Z" }]);
    expect(new Set(events.map(({ metadata }) => metadata.name)).size).toBe(3);
    expect((await send([reported])).events[0]?.metadata.name).toBe(events[1]?.metadata.name);
  });

  it("names what acts on its subject, in the namespace of that one", async () => {
    const related = { apiVersion: "a.dev/v1", kind: "Repair", name: "r" };
    const { events } = await send([{ ...odd, related }]);
    expect(events).toMatchObject([{ related: { ...related, namespace: "default" } }]);
  });

  it("may be about another object than the one that is reconciled, in the namespace of that one", async () => {
    const about = {
      apiVersion: "a.dev/v1",
      kind: "Part",
      metadata: { name: "p", namespace: "parts", uid: "u" },
    };
    const { events } = await send([{ ...odd, about }, odd]);
    expect(events).toMatchObject([
      { metadata: { namespace: "parts" }, involvedObject: { kind: "Part", name: "p", uid: "u" } },
      { metadata: { namespace: "default" }, involvedObject: { kind: "Widget" } },
    ]);
  });

  it("names the run that sends them", async () => {
    const clients = recordingClients();
    const signal = new AbortController().signal;
    const by = { function: grow, clients, clock: virtualClock(), log: silentLog, signal, runId: "r1" };
    await sendEvents([odd], { ...by, object: widget() });
    expect(clients.sent[0]?.body).toMatchObject({ metadata: { annotations: { "capstan.dev/run": "r1" } } });
  });

  it("is sent beside others, eight at a time, and once when it is named twice", async () => {
    const messages = Array.from({ length: 20 }, (_, index) => `m${index}`);
    let underWay = 0;
    let most = 0;
    const clients = recordingClients();
    const of: typeof clients.of = (...args) => ({
      ...clients.of(...args),
      create: async (kind, object) => {
        underWay += 1;
        most = Math.max(most, underWay);
        const created = await clients.of(...args).create(kind, object);
        underWay -= 1;
        return created;
      },
    });
    const signal = new AbortController().signal;
    const by = { function: grow, clients: { of }, clock: virtualClock(), log: silentLog, signal };
    const notices = [...messages, ...messages].map((message) => ({ ...odd, message }));
    await sendEvents(notices, { ...by, object: widget() });
    const sent = clients.sent.map(({ body }) => Reflect.get(body ?? {}, "message"));
    expect([sent.length, new Set(sent)]).toEqual([20, new Set(messages)]);
    expect(most).toBe(8);
  });

  it("is sent once an hour by one process, also when it was there already", async () => {
    const exists = { class: "Conflict", status: 409, reason: "AlreadyExists", message: "exists" } as const;
    for (const refusal of [undefined, new KubeError(exists)]) {
      const clients = recordingClients(() => refusal);
      const clock = virtualClock();
      const signal = new AbortController().signal;
      const by = { function: grow, clients, clock, log: silentLog, signal, sentEvents: new Map() };
      const tell = () => sendEvents([odd], { ...by, object: widget() });
      await tell();
      await tell();
      expect(clients.sent).toHaveLength(1);
      await clock.advance(60 * MINUTE);
      await tell();
      expect(clients.sent).toHaveLength(2);
    }
  });

  it("has one name per object, reason and message", async () => {
    const names = async (notice: Notice, uid = "uid-w") =>
      (await send([notice], { object: widget({ uid }) })).events[0]?.metadata.name;
    const name = await names(odd);
    expect(name).toMatch(/^w\.[0-9a-f]{16}$/);
    expect(await names({ ...odd, type: "Normal" })).toBe(name);
    expect(await names({ ...odd, reason: "Even" })).not.toBe(name);
    expect(await names({ ...odd, message: "n" })).not.toBe(name);
    expect(await names(odd, "uid-v")).not.toBe(name);
  });

  it("stays within the API server's limits, whatever the object is called", async () => {
    const name = `${"a".repeat(199)}-${"b".repeat(50)}`;
    const { events } = await send([{ ...odd, message: "x".repeat(5_000) }], { object: widget({ name }) });
    expect(events[0]?.metadata.name).toMatch(/^a{199}\.[0-9a-f]{16}$/);
    expect(events[0]).toMatchObject({ message: "x".repeat(1_024) });
  });

  it("goes to the namespace default when its object has none", async () => {
    const { events } = await send([odd], { object: widget({ namespace: undefined }) });
    expect(events[0]?.metadata.namespace).toBe("default");
  });

  it("is lost with a warning, or silently when it is there already, but never fails a run", async () => {
    const exists = { class: "Conflict", status: 409, reason: "AlreadyExists", message: "exists" } as const;
    const even = { ...odd, message: "n" };
    const known = await send([odd, even], { refusal: new KubeError(exists) });
    expect([known.sent.length, known.warnings.length]).toEqual([2, 0]);
    const lost = await send([odd, even], { refusal: new Error("no") });
    expect(lost.warnings).toMatchObject([{ function: "widget-grow", reason: "Odd" }, { reason: "Odd" }]);
  });
});
