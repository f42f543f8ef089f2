import { describe, expect, it } from "vitest";
import { type Kind, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { Pod } from "../../../../shared/api/workload.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { recordWrites } from "../../../../shared/runtime/write/record-writes.ts";
import { machinePool } from "../../../support/builders.ts";
import { recordingClients } from "../../../support/recording-clients.ts";

const POOL = MachinePool as unknown as Kind;
const EVENT: Kind = { group: "", version: "v1", kind: "Event", plural: "events", namespaced: true };
const KEY = { namespace: "default", name: "p1" };
const OPERATIONS = [{ op: "replace", path: "/spec/replicas", value: 4 }] as const;

describe("recorded writes", () => {
  it("keep verb, field manager, body and resulting version, in the order of sending", async () => {
    const recorder = recordWrites(recordingClients());
    const client = recorder.of(MANAGEMENT, "machinepool-sync");
    await client.jsonPatch(POOL, KEY, OPERATIONS);
    await client.apply(POOL, KEY, { status: {} }, "status");
    await client.delete(POOL, KEY, { uid: "uid-p1", resourceVersion: "20" });
    expect(recorder.sent).toMatchObject([
      {
        verb: "patch",
        fieldManager: "capstan-machinepool-sync",
        body: OPERATIONS,
        outcome: { resourceVersion: "1001" },
      },
      { verb: "apply", subresource: "status", key: KEY, outcome: { resourceVersion: "1002" } },
      { verb: "delete", precondition: { uid: "uid-p1", resourceVersion: "20" } },
    ]);
  });

  it("keep a refusal, which the step meets as well", async () => {
    const refusal = new KubeError({ class: "Terminal", status: 422, reason: "Invalid", message: "no" });
    const recorder = recordWrites(recordingClients(() => refusal));
    await expect(recorder.of(MANAGEMENT, "f").jsonPatch(POOL, KEY, OPERATIONS)).rejects.toBe(refusal);
    expect(recorder.sent).toMatchObject([{ verb: "patch", outcome: { error: refusal } }]);
  });

  it("keep the version that a read found after an error, not after an answer", async () => {
    const lost = new KubeError({ class: "Transient", status: 0, reason: "NoAnswer", message: "no answer" });
    const [refused, served] = [machinePool(), machinePool({ metadata: { name: "p2" } })];
    const clients = recordingClients(({ name }) => (name === "p1" ? lost : undefined), [refused, served]);
    const recorder = recordWrites(clients);
    const client = () => recorder.of(MANAGEMENT, "f");
    await expect(client().jsonPatch(POOL, KEY, OPERATIONS)).rejects.toBe(lost);
    await client().jsonPatch(POOL, { ...KEY, name: "p2" }, OPERATIONS);
    for (const name of ["p1", "p2"]) await client().get(POOL, { ...KEY, name });
    expect(recorder.sent.map(({ outcome }) => outcome)).toEqual([
      { error: lost, foundVersion: refused.metadata.resourceVersion },
      { resourceVersion: "1001" },
    ]);
  });

  it("keep an eviction with the uid of its Pod, and its refusal", async () => {
    const refusal = new KubeError({
      class: "Transient",
      status: 429,
      reason: "TooManyRequests",
      message: "no",
    });
    const recorder = recordWrites(recordingClients(() => refusal));
    const eviction = { uid: "uid-a", gracePeriodSeconds: 1, withinMs: 10_000 };
    await expect(recorder.of("default/c1", "f").evict(KEY, eviction)).rejects.toBe(refusal);
    expect(recorder.sent).toEqual([
      {
        verb: "evict",
        kind: Pod,
        key: KEY,
        cluster: "default/c1",
        fieldManager: "capstan-f",
        precondition: { uid: "uid-a" },
        body: { gracePeriodSeconds: 1 },
        outcome: { error: refusal },
      },
    ]);
  });

  it("leave events and reads out, and still send them", async () => {
    const clients = recordingClients(undefined, [machinePool()]);
    const recorder = recordWrites(clients);
    const client = recorder.of(MANAGEMENT, "f");
    await client.create(EVENT, {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "e", namespace: "default" },
    });
    expect(await client.get(POOL, KEY)).toEqual(machinePool());
    expect(clients.sent).toMatchObject([{ verb: "create", kind: "Event" }]);
    expect(recorder.sent).toEqual([]);
  });
});
