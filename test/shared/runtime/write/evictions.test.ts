import { describe, expect, it } from "vitest";
import { type KubeObject, MANAGEMENT, refTo } from "../../../../shared/api/kinds.ts";
import { Pod } from "../../../../shared/api/workload.ts";
import { KubeError, type KubeErrorDetails, WaitingError } from "../../../../shared/function/errors.ts";
import { NOT_REACHED } from "../../../../shared/function/evictions.ts";
import { done, requeueAfter } from "../../../../shared/function/result.ts";
import type { Clients } from "../../../../shared/runtime/ports.ts";
import { EVICTION_TIMEOUT, sendEvictions } from "../../../../shared/runtime/write/evictions.ts";
import { settle } from "../../../../shared/runtime/write/settle.ts";
import { describeAnswer, evictor, pod } from "../../../support/evictor.ts";
import { recordingClients, type SentWrite } from "../../../support/recording-clients.ts";

function refusal(details: Partial<KubeErrorDetails>): KubeError {
  return new KubeError({
    class: "Transient",
    status: 500,
    reason: "InternalError",
    message: "no",
    ...details,
  });
}

interface Server {
  readonly eachMs?: number;
  readonly served?: readonly KubeObject[];
  /** The failure of every read. */
  readonly unread?: Error;
}

/** Evictions at a clock that each of them moves on. */
async function evict(
  names: readonly string[],
  refuse: (write: SentWrite) => Error | undefined = () => undefined,
  { eachMs = 0, served = names.map((name) => pod(name)), unread }: Server = {},
) {
  let nowMs = 0;
  const recording = recordingClients((write) => {
    nowMs += eachMs;
    return refuse(write);
  }, served);
  const get = unread === undefined ? {} : { get: () => Promise.reject(unread) };
  const clients: Clients = { of: (...call) => ({ ...recording.of(...call), ...get }) };
  const clock = { now: () => new Date(nowMs), after: () => () => undefined };
  const { signal } = new AbortController();
  const pods = names.map((name) => ({ target: refTo(Pod, pod(name)), gracePeriodSeconds: 1 }));
  const sent = await sendEvictions(pods, { clients, clock, signal, function: evictor() });
  return { ...sent, reported: sent.answers.map(describeAnswer), sent: recording.sent };
}

describe("evictions", () => {
  it("carry uid and grace period, and are answered in the order of the Pods", async () => {
    const { reported, sent, requests } = await evict(["a", "b"]);
    expect(reported).toEqual(["a accepted", "b accepted"]);
    expect(requests).toBe(2);
    expect(sent).toMatchObject([
      {
        verb: "evict",
        kind: "Pod",
        name: "a",
        body: { uid: "uid-a", gracePeriodSeconds: 1, withinMs: 10_000 },
      },
      { name: "b" },
    ]);
  });

  it("that are refused are answers: the server's words without the name of the Pod, and its causes", async () => {
    const causes = [{ reason: "DisruptionBudget", message: "The disruption budget b needs 2 healthy pods" }];
    const { reported } = await evict(["a"], () =>
      refusal({ status: 429, message: "evict Pod default/a: Cannot evict pod.", causes }),
    );
    expect(reported).toEqual(["a refused Cannot evict pod. The disruption budget b needs 2 healthy pods"]);
  });

  it("find out who is gone: a Pod that the server does not know, or a successor of the same name", async () => {
    const notFound = refusal({ class: "Conflict", status: 404, reason: "NotFound" });
    const conflict = refusal({ class: "Conflict", status: 409, reason: "Conflict", message: "changed" });
    const failures = new Map([
      ["a", notFound],
      ["b", conflict],
      ["c", conflict],
    ]);
    const successor = { ...pod("b"), metadata: { ...pod("b").metadata, uid: "uid-other" } };
    const { reported } = await evict(["a", "b", "c"], ({ name }) => failures.get(name), {
      served: [successor, pod("c")],
    });
    expect(reported).toEqual(["a gone", "b gone", "c refused changed"]);
  });

  it("of a server that serves Pods and no evictions, a 404 without a Status, count as gone", async () => {
    const notServed = refusal({ status: 404, reason: "TypeNotServed", message: "HTTP status 404" });
    const { reported } = await evict(["a", "b"], () => notServed, { served: [pod("a")] });
    expect(reported).toEqual(["a gone", "b gone"]);
    const unread = await evict(["a"], () => notServed, { unread: notServed });
    expect(unread.reported).toEqual(["a refused HTTP status 404"]);
  });

  it("have ten seconds in all: the others are refused without a request", async () => {
    const { reported, requests } = await evict(
      Array.from({ length: 20 }, (_, at) => `p${at}`),
      undefined,
      {
        eachMs: 2_500,
      },
    );
    expect(requests).toBeLessThan(20);
    expect(reported.filter((text) => text.endsWith("accepted"))).toHaveLength(requests);
    expect(reported.filter((text) => text.endsWith(NOT_REACHED))).toHaveLength(20 - requests);
  });

  it("that were not answered in time count as not reached", async () => {
    const { reported } = await evict(["a"], () => refusal({ status: 0, reason: EVICTION_TIMEOUT }));
    expect(reported).toEqual([`a refused ${NOT_REACHED}`]);
  });

  it("end with their run", async () => {
    const waiting = new WaitingError("Connection default/c1");
    await expect(evict(["a", "b"], () => waiting)).rejects.toBe(waiting);
  });
});

describe("a decision with evictions", () => {
  it("becomes what its answers make of it, and keeps the rest", () => {
    const target = { ...refTo(Pod, pod("a")), cluster: MANAGEMENT };
    const answers = [{ type: "gone", target }] as const;
    const pods = [{ target }];
    const decision = {
      evict: { pods, answered: () => ({ apply: { status: 1 }, result: requeueAfter(5, "later") }) },
      notBeforeMs: 7,
      result: done,
    };
    expect(settle(decision, answers)).toEqual({
      evict: { pods, answers },
      apply: { status: 1 },
      notBeforeMs: 7,
      result: requeueAfter(5, "later"),
    });
  });
});
