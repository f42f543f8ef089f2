import { describe, expect, it } from "vitest";
import { createMemoryDeletionLimit } from "../../../../infra/queue/backends/embedded/deletion-limit.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { Node } from "../../../../shared/api/core.ts";
import { apiVersionOf, type Kind, type KubeObject, MANAGEMENT, refTo } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { RemediationRequest } from "../../../../shared/contract/remediation.ts";
import { type AnyDecision, defineFunction } from "../../../../shared/function/define-function.ts";
import { done } from "../../../../shared/function/result.ts";
import type { Lease } from "../../../../shared/runtime/queue/queue-port.ts";
import { managementType } from "../../../../shared/runtime/read/management-type.ts";
import { runStep } from "../../../../shared/runtime/run-step.ts";
import { type DeletionLimit, HeldBackError } from "../../../../shared/runtime/write/deletion-limit.ts";
import { writeDecision } from "../../../../shared/runtime/write/write-decision.ts";
import { virtualClock } from "../../../support/clock.ts";
import { recordingClients } from "../../../support/recording-clients.ts";
import { silentLog } from "../../../support/silent-log.ts";

const WORKLOAD = "default/c1";
const machine: KubeObject = {
  apiVersion: apiVersionOf(Machine as Kind),
  kind: "Machine",
  metadata: { namespace: "default", name: "m", uid: "uid-m", resourceVersion: "7" },
  ...{ spec: { clusterName: "c1" } },
};
const node = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, uid: `uid-${name}`, resourceVersion: "3" },
});
const retire = defineFunction(
  {
    name: "machine-retire",
    summary: "Retires.",
    source: "own",
    reconciles: Machine as Kind,
    watches: [],
    owns: [],
    calls: [
      { verb: "delete", kind: Machine as Kind },
      { verb: "delete", kind: Node as Kind, limited: true },
      { verb: "create", kind: RemediationRequest, limited: true },
    ],
    readsLive: [Node as Kind],
    queue: { maxRunningPerTenant: 1 },
  },
  async (_, { read }) => {
    const target = await read.live.get(Node as Kind, { namespace: "", name: "n1" }, WORKLOAD);
    return { delete: target ? [{ target: refTo(Node as Kind, target, WORKLOAD) }] : [], result: done };
  },
);

async function world(perHour: number, cluster: Partial<KubeObject["metadata"]> = {}) {
  const clock = virtualClock();
  const store = createMemoryStore();
  const metadata = { namespace: "default", name: "c1", uid: "uid-c1", resourceVersion: "1", ...cluster };
  await store.put(managementType(Cluster), [
    {
      apiVersion: apiVersionOf(Cluster as Kind),
      kind: "Cluster",
      metadata,
    },
  ]);
  const held: string[] = [];
  const counts = createMemoryDeletionLimit(perHour, clock);
  const limit: DeletionLimit = { ...counts, noteHeldBack: (name) => held.push(name) };
  return { clock, store, held, limit };
}

async function write(given: Awaited<ReturnType<typeof world>>, decision: Omit<AnyDecision, "result">) {
  const clients = recordingClients();
  const context = {
    ...given,
    function: retire,
    object: machine,
    clients,
    log: silentLog,
    signal: new AbortController().signal,
  };
  const written = await writeDecision({ ...decision, result: done }, context);
  const sent = clients.sent.map(({ verb, name }) => (verb === "create" ? verb : `${verb} ${name}`));
  const events = clients.sent.flatMap(({ kind, body }) => (kind === "Event" ? [body] : []));
  return { written, sent, events };
}

const deletes = (...names: readonly string[]) =>
  names.map((name) => ({ target: refTo(Node as Kind, node(name), WORKLOAD) }));
const release = {
  target: refTo(Machine as Kind, machine),
  operations: [{ op: "remove", path: "/metadata/finalizers/0" }] as const,
};

describe("the limit of deletions", () => {
  it("S-33: holds back what is too much, keeps the finalizer, and says so once about the Cluster", async () => {
    const given = await world(2);
    const { written, sent, events } = await write(given, {
      delete: deletes("n1", "n2", "n3", "n4"),
      patch: [release],
    });
    expect(sent).toEqual(["delete n1", "delete n2", "create"]);
    expect(written).toMatchObject({ requests: 2, error: expect.any(HeldBackError) });
    expect(events).toEqual([
      expect.objectContaining({
        reason: "DeletionsHeldBack",
        message:
          "Node in Cluster c1: 2 were deleted within an hour, the most that --max-deletions-per-hour allows; look for the cause, or raise the limit",
        involvedObject: expect.objectContaining({ kind: "Cluster", uid: "uid-c1" }),
      }),
    ]);
    expect(given.held).toEqual(["machine-retire", "machine-retire"]);
  });

  it("S-33: holds back a delete that may fail, too, also where no further try was wanted", async () => {
    const [one] = deletes("n1");
    if (one === undefined) throw new Error("bug: nothing to delete");
    const { written, sent } = await write(await world(0), {
      delete: [{ ...one, ifFails: { event: "FailedDelete" } }],
      patch: [release],
    });
    expect(sent).toEqual(["create"]);
    expect(written.error).toBeInstanceOf(HeldBackError);
  });

  it("S-33: holds back new requests for remediation, and nothing else of their decision", async () => {
    const request = (name: string) => ({
      cluster: MANAGEMENT,
      kind: { ...Machine, group: "remediation.test.dev", kind: "Reboot", plural: "reboots" } as Kind,
      object: {
        apiVersion: "remediation.test.dev/v1",
        kind: "Reboot",
        metadata: { namespace: "default", name },
      },
      ifFails: { event: "FailedCreate" },
    });
    const { written, sent, events } = await write(await world(1), {
      create: [request("a"), request("b")],
      patch: [{ ...release, operations: [{ op: "add", path: "/metadata/labels", value: {} }] }],
    });
    expect(sent).toEqual(["create", "jsonPatch m", "create"]);
    expect(events).toMatchObject([
      { message: expect.stringMatching(/^RemediationRequest in Cluster c1: 1 were created/) },
    ]);
    expect(written).toMatchObject({ error: undefined, again: { afterMs: 60_000 } });
  });

  it("S-33: does not limit a Cluster that is being deleted, nor deletions that are not declared as limited", async () => {
    const going = await world(0, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    expect((await write(going, { delete: deletes("n1") })).sent).toEqual(["delete n1"]);
    expect(going.held).toEqual([]);
    const machines = [{ target: refTo(Machine as Kind, machine) }];
    expect((await write(await world(0), { delete: machines })).sent).toEqual(["delete m"]);
  });

  it("S-33: sends nothing while the count is not known", async () => {
    const given = await world(1);
    const away = new Error("Redis is away");
    const limit = { ...given.limit, admit: () => Promise.reject(away) };
    const { written, sent } = await write({ ...given, limit }, { delete: deletes("n1"), patch: [release] });
    expect([sent, written.requests, written.error]).toEqual([[], 0, away]);
  });

  it("S-33: makes the run come again in a minute, without an attempt", async () => {
    const given = await world(0);
    const lease: Lease = {
      key: "default/c1|Machine|default/m",
      runId: "r1",
      causes: [],
      failures: 2,
      retries: 0,
      fences: [],
      signal: new AbortController().signal,
    };
    await given.store.advance(managementType(Machine as Kind), { ready: true, resourceVersion: "7" });
    await given.store.put(managementType(Machine as Kind), [machine]);
    const clients = recordingClients(undefined, [node("n1")]);
    const { type, ...outcome } = await runStep(retire, lease, { ...given, clients, log: silentLog });
    expect([type, outcome]).toEqual([
      "ok",
      expect.objectContaining({
        requested: false,
        afterMs: 60_000,
        waitingFor: expect.stringMatching(/^Node in Cluster c1: 0 were deleted within an hour/),
      }),
    ]);
  });
});
