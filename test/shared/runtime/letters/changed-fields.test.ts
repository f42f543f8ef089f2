import { describe, expect, it } from "vitest";
import { Secret } from "../../../../shared/api/core.ts";
import { type Kind, type KubeObject, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import type {
  AttemptRecord,
  RecordedRead,
  RecordedWrite,
} from "../../../../shared/runtime/attempt-record.ts";
import { changedFields } from "../../../../shared/runtime/letters/changed-fields.ts";
import type { FieldChange } from "../../../../shared/runtime/letters/run-history.ts";
import { CANARY } from "../../../support/canaries.ts";

const KEY = { namespace: "default", name: "p1" };
const READY = {
  type: "Ready",
  status: "False",
  reason: "NotReady",
  message: "1 of 3",
  lastTransitionTime: "1",
};
const POOL = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "MachinePool",
  metadata: {
    ...KEY,
    uid: "u",
    resourceVersion: "7",
    finalizers: ["a"],
    ownerReferences: [{ apiVersion: "v1", kind: "Cluster", name: "c1", uid: "c" }],
  },
  spec: { replicas: 3, providerIDList: ["x"] },
  status: { phase: "Provisioning", replicas: 1, conditions: [READY, { ...READY, type: "Paused" }] },
};

const write = (verb: RecordedWrite["verb"], body: unknown, rest: Partial<RecordedWrite> = {}) => ({
  verb,
  cluster: MANAGEMENT,
  kind: MachinePool as Kind,
  key: KEY,
  fieldManager: "capstan-f",
  body,
  outcome: {},
  ...rest,
});
const read = (object: KubeObject): RecordedRead => ({
  question: { call: "get", cluster: MANAGEMENT, kind: MachinePool as Kind, key: KEY },
  source: "snapshot",
  answer: { type: "object", object },
});
const changes = (sent: RecordedWrite, decision?: object): readonly FieldChange[] =>
  changedFields(sent, { reads: [read(POOL)], decision } as Pick<AttemptRecord, "reads" | "decision">);
const patch = (...operations: readonly object[]) => changes(write("patch", operations));

describe("the fields that a write changed", () => {
  it("are those of an apply that differ from what was read, and those that it gives up", () => {
    const { apiVersion, kind, metadata, status } = POOL;
    const { uid, resourceVersion } = metadata;
    const body = {
      apiVersion,
      kind,
      metadata: { ...KEY, uid, resourceVersion },
      status: {
        ...status,
        phase: "Running",
        replicas: 3,
        observed: undefined,
        conditions: [
          { ...READY, status: "True", reason: "Ready", message: "", lastTransitionTime: "2" },
          { ...READY, type: "Paused" },
          { ...READY, type: "Deleting" },
        ],
      },
    };
    const decision = {
      apply: { "status.phase": "Running", "spec.replicas": undefined, "spec.none": undefined },
    };
    expect(changes(write("apply", body, { subresource: "status" }), decision)).toEqual([
      { path: "status.phase", value: "Running" },
      { path: "status.replicas", value: 3 },
      { path: "status.conditions[Ready].status", value: "True" },
      { path: "status.conditions[Ready].reason", value: "Ready" },
      { path: "status.conditions[Ready].message" },
      { path: "status.conditions[Deleting].type" },
      { path: "status.conditions[Deleting].status", value: "False" },
      { path: "status.conditions[Deleting].reason", value: "NotReady" },
      { path: "status.conditions[Deleting].message" },
      { path: "spec.replicas", removed: true },
    ]);
    expect(changes(write("apply", { apiVersion, kind, metadata, status }))).toEqual([]);
  });

  it("are those of a patch, its elements by name, without its tests", () => {
    expect(
      patch(
        { op: "test", path: "/metadata/uid", value: "u" },
        { op: "add", path: "/metadata/finalizers/-", value: "b" },
        { op: "add", path: "/metadata/annotations/a.b~1c", value: "x" },
        { op: "replace", path: "/spec/replicas", value: 5 },
        { op: "replace", path: "/spec/providerIDList", value: ["x", "y"] },
        { op: "replace", path: "/status/conditions/0/status", value: "True" },
        { op: "replace", path: "/status/phase", value: "Provisioning" },
        { op: "add", path: "/metadata/ownerReferences/-", value: { name: "c2", controller: true } },
        { op: "remove", path: "/metadata/ownerReferences/0" },
        { op: "remove", path: "/metadata/finalizers/0" },
        { op: "replace", path: "/spec", value: {} },
        { op: "replace", path: "/status", value: { phase: "Provisioning" } },
      ),
    ).toEqual([
      { path: "metadata.finalizers" },
      { path: "metadata.annotations[a.b/c]" },
      { path: "spec.replicas", value: 5 },
      { path: "spec.providerIDList" },
      { path: "status.conditions[Ready].status", value: "True" },
      { path: "metadata.ownerReferences[c2].name" },
      { path: "metadata.ownerReferences[c2].controller", value: true },
      { path: "metadata.ownerReferences[c1]", removed: true },
      { path: "metadata.finalizers[0]", removed: true },
      { path: "spec" },
      { path: "status" },
    ]);
  });

  it("are found in lists that the run read, and without what was read all count", () => {
    const sent = write("apply", { spec: { replicas: 3, paused: true } });
    const list: RecordedRead = {
      question: { call: "list", cluster: MANAGEMENT, kind: MachinePool as Kind, selection: {} },
      source: "snapshot",
      answer: { type: "list", items: [{ ...POOL, metadata: { ...POOL.metadata, name: "p0" } }, POOL] },
    };
    const elsewhere = { ...sent, cluster: "default/c1" };
    const found = (each: RecordedWrite) => changedFields(each, { reads: [list], decision: undefined });
    expect(found(sent)).toEqual([{ path: "spec.paused", value: true }]);
    expect(found(elsewhere)).toEqual([
      { path: "spec.replicas", value: 3 },
      { path: "spec.paused", value: true },
    ]);
    expect(changes(write("create", POOL))).toEqual([]);
    expect(changes(write("delete", undefined))).toEqual([]);
    expect(changes(write("patch", { issue: "by the runtime" }))).toEqual([]);
  });

  it("S-21: show no text of a user, no value of a secret field, and nothing of a Secret", () => {
    const secret = { kind: Secret as unknown as Kind };
    const all = [
      changes(write("patch", [{ op: "add", path: "/data/x", value: CANARY }], secret)),
      changes(write("apply", { data: { x: CANARY }, metadata: { labels: { size: 3 } } }, secret)),
    ];
    expect(all).toEqual([[], []]);
    const planted = {
      metadata: { labels: { phase: CANARY }, annotations: { note: CANARY } },
      spec: { token: 12_345, nested: { apiKey: { pin: 7 } }, phase: CANARY, list: [CANARY] },
      status: {
        phase: `Bearer ${CANARY}${"x".repeat(200)}`,
        message: CANARY,
        conditions: [{ type: "Ready", message: CANARY, reason: `password=${CANARY}` }],
        deep: { phase: "Running" },
      },
    };
    const shown = changes(write("apply", planted));
    expect(JSON.stringify(shown)).not.toContain(CANARY);
    expect(shown.filter(({ value }) => value !== undefined)).toEqual([
      { path: "status.phase", value: expect.stringMatching(/^Bearer hmac-sha256/) },
      { path: "status.conditions[Ready].reason", value: expect.stringContaining("hmac-sha256") },
      { path: "status.deep.phase", value: "Running" },
    ]);
  });

  it("stay short and finite whatever an object holds", () => {
    const long = "k".repeat(1_000);
    expect(changes(write("apply", { spec: { [long]: 1 } }))[0]?.path).toHaveLength(120);
    let deep: object = { end: 1 };
    for (let depth = 0; depth < 1_000; depth += 1) deep = { d: deep };
    expect(changes(write("apply", deep))).toHaveLength(1);
    const odd = JSON.parse('{"spec": {"__proto__": {"a": 1}, "constructor": null, "": true}}');
    expect(changes(write("apply", odd)).map(({ path }) => path)).toEqual([
      "spec[__proto__].a",
      "spec.constructor",
      "spec[]",
    ]);
  });
});
