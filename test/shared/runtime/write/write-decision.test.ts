import { describe, expect, it } from "vitest";
import { createIssuer } from "../../../../infra/platform/pki/issuer.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition, Secret } from "../../../../shared/api/core.ts";
import {
  apiVersionOf,
  type Kind,
  type KubeObject,
  MANAGEMENT,
  type ObjectRef,
  refTo,
} from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import type { PatchOperation } from "../../../../shared/api/patch.ts";
import { Pod } from "../../../../shared/api/workload.ts";
import {
  type AnyDecision,
  type AnyFunction,
  defineFunction,
  type GuardedPatch,
} from "../../../../shared/function/define-function.ts";
import { KubeError, WaitingError } from "../../../../shared/function/errors.ts";
import type { Issue } from "../../../../shared/function/issue.ts";
import { done } from "../../../../shared/function/result.ts";
import type { Clients } from "../../../../shared/runtime/ports.ts";
import { managementType } from "../../../../shared/runtime/read/management-type.ts";
import { recordWrites } from "../../../../shared/runtime/write/record-writes.ts";
import { settle } from "../../../../shared/runtime/write/settle.ts";
import {
  type Answers,
  mergePatches,
  ownStatus,
  type Written,
  writeDecision,
} from "../../../../shared/runtime/write/write-decision.ts";
import { cluster } from "../../../support/builders.ts";
import { createFakePki } from "../../../support/fake-pki.ts";
import { soloMachine } from "../../../support/machines.ts";
import { recordingClients, type SentWrite } from "../../../support/recording-clients.ts";
import { silentLog } from "../../../support/silent-log.ts";

const Widget: Kind = {
  group: "test.dev",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};
const grow = defineFunction(
  { name: "widget-grow", summary: "Grows.", source: "own", reconciles: Widget, watches: [], owns: [] },
  async () => ({ result: done }),
);
const widget = {
  apiVersion: "test.dev/v1",
  kind: "Widget",
  metadata: { name: "w", namespace: "default", uid: "u1", resourceVersion: "7" },
  status: { size: 3 },
};
const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "default" } };
const now = new Date("2026-01-01T00:00:00Z");
const KEY_OF_WIDGET = { namespace: "default", group: "test.dev", kind: "Widget" };

function target(name: string, resourceVersion: string | undefined = "7"): ObjectRef {
  return {
    cluster: MANAGEMENT,
    kind: Widget,
    namespace: "default",
    name,
    uid: `uid-${name}`,
    resourceVersion,
  };
}

async function write(
  decision: Omit<AnyDecision, "result">,
  refuse?: (write: SentWrite) => Error | undefined,
  signal = new AbortController().signal,
  recorder?: Clients,
): Promise<{ sent: readonly SentWrite[]; written: Written }> {
  const own = recordingClients(refuse);
  const clock = { now: () => now, after: () => () => undefined };
  const issuer = createIssuer(createFakePki());
  const clients = recorder ?? own;
  const whole = { ...decision, result: done };
  const settled = (answers: Answers) => settle(whole, answers);
  const common = { function: grow, object: widget, clock, log: silentLog, signal };
  const context = { ...common, clients, issuer, settle: settled };
  return { written: await writeDecision(whole, context), sent: own.sent };
}

const owner = { apiVersion: "test.dev/v1", kind: "Widget", name: "w", uid: "u1" };
const issueOf = (name: string): Issue => ({
  secret: { namespace: "default", name },
  labels: { of: "w" },
  owner,
  what: { type: "keyPair" },
});
const conflict = new KubeError({ class: "Conflict", status: 409, reason: "Conflict", message: "changed" });
const removeFinalizer = { op: "remove", path: "/metadata/finalizers/0" } as const;

const forbidden = () =>
  new KubeError({ class: "Transient", status: 403, reason: "Forbidden", message: "no" });
const silent = () =>
  new KubeError({ class: "Transient", status: 0, reason: "NoAnswer", message: "timed out" });
const mayFail = (name: string) => ({ target: target(name), ifFails: { event: "FailedDelete" } });

describe("the writes of a decision", () => {
  const evict = {
    pods: [{ target: { ...target("p"), kind: Pod as unknown as Kind } }],
    answered: () => ({ apply: { status: { size: 5 } } }),
  };
  const patch = [
    { target: target("x"), operations: [{ op: "add", path: "/metadata/labels", value: {} }] },
  ] as const;

  it("evict Pods after the patches, and apply what follows from the answers", async () => {
    const { sent, written } = await write({ patch, evict, delete: [{ target: target("y") }] });
    expect(sent.map(({ verb, name }) => `${verb} ${name}`)).toEqual([
      "jsonPatch x",
      "evict p",
      "apply w",
      "delete y",
    ]);
    expect(written.requests).toBe(4);
    expect(written.decision).toMatchObject({ evict: { answers: [{ type: "accepted" }] } });
  });

  it("evict no Pod, and apply nothing, after a patch that failed", async () => {
    const { sent, written } = await write({ patch, evict }, ({ verb }) =>
      verb === "jsonPatch" ? conflict : undefined,
    );
    expect(sent.map(({ verb }) => verb)).toEqual(["jsonPatch"]);
    expect(written.error).toBe(conflict);
  });

  it("end where the workload cluster is no longer connected: what follows from the answers is not known", async () => {
    const waiting = new WaitingError("Connection default/c1");
    const { sent, written } = await write({ evict, delete: [{ target: target("y") }] }, () => waiting);
    expect(sent.map(({ verb }) => verb)).toEqual(["evict"]);
    expect(written.error).toBe(waiting);
  });

  it("leave in order: create, patch, apply, delete, event, finalizer removal", async () => {
    const { sent } = await write({
      create: [{ cluster: MANAGEMENT, kind: Secret, object: secret }],
      patch: [
        { target: target("w"), operations: [removeFinalizer] },
        { target: target("x"), operations: [{ op: "add", path: "/metadata/labels", value: {} }] },
      ],
      apply: { status: { size: 4 } },
      delete: [{ target: target("y") }],
      events: [{ type: "Normal", reason: "Grown", message: "to 4" }],
    });
    expect(
      sent.map(({ verb, kind, name }) => `${verb} ${kind} ${name.replace(/\.[0-9a-f]{16}$/, "")}`),
    ).toEqual([
      "create Secret s",
      "jsonPatch Widget x",
      "apply Widget w",
      "delete Widget y",
      "create Event w",
      "jsonPatch Widget w",
    ]);
  });

  it("begin with what is issued, one after the other, and nothing follows one that failed", async () => {
    const decision = {
      issue: [issueOf("a"), issueOf("b")],
      create: [{ cluster: MANAGEMENT, kind: Secret, object: secret }],
    };
    const { sent } = await write(decision);
    expect(sent.map(({ verb, name }) => `${verb} ${name}`)).toEqual(["create a", "create b", "create s"]);
    const exists = new KubeError({ class: "Conflict", status: 409, reason: "AlreadyExists", message: "b" });
    const refused = await write(decision, ({ name }) => (name === "b" ? exists : undefined));
    expect(refused.sent.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(refused.written.error).toBe(exists);
  });

  it("create nothing after a first patch that failed, and send last ones when nothing has", async () => {
    const ifFails = { event: "FailedCreate", againAfterMs: 1_000 };
    const decision = {
      create: [{ cluster: MANAGEMENT, kind: Secret, object: secret, ifFails }],
      patch: (["last", "first"] as const).map((order) => ({ ...patch[0], target: target(order), order })),
      events: [{ type: "Normal", reason: "Grown", message: "" } as const],
    };
    const sentWithout = async (refused: string) => {
      const { sent } = await write(decision, ({ name }) => (name === refused ? conflict : undefined));
      return sent.map(({ verb, name }) => `${verb} ${name.replace(/\..*/, "")}`);
    };
    const all = ["jsonPatch first", "create s", "create w", "jsonPatch last"];
    expect(await sentWithout("")).toEqual(all);
    expect(await sentWithout("s")).toEqual(all.slice(0, 3));
    expect(await sentWithout("first")).toEqual(all.slice(0, 1));
  });

  it("of an issue create the Secret whole, or replace its data keys as they were read", async () => {
    const renew = { uid: "u9", resourceVersion: "9", labels: { own: "x" } };
    const { sent } = await write({ issue: [issueOf("a"), { ...issueOf("b"), renew }] });
    const [created, renewed] = sent;
    expect(created?.body).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: "default", name: "a", labels: { of: "w" }, ownerReferences: [owner] },
      type: "cluster.x-k8s.io/secret",
      data: { "tls.crt": expect.any(String), "tls.key": expect.any(String) },
    });
    expect(renewed?.operations).toEqual([
      { op: "test", path: "/metadata/uid", value: "u9" },
      { op: "test", path: "/metadata/resourceVersion", value: "9" },
      { op: "add", path: "/metadata/labels/of", value: "w" },
      { op: "add", path: "/data/tls.crt", value: expect.any(String) },
      { op: "add", path: "/data/tls.key", value: expect.any(String) },
    ]);
  });

  it("S-03: of an issue are recorded by what was asked for, without the keys", async () => {
    const clients = recordWrites(recordingClients());
    await write({ issue: [issueOf("a")] }, undefined, undefined, clients);
    const [only] = clients.sent;
    expect([only?.verb, only?.body]).toEqual(["create", { issue: issueOf("a") }]);
    expect(JSON.stringify(clients.sent)).not.toContain("PRIVATE");
  });

  it("merge patches of one object into one request and drop empty ones", async () => {
    const { sent } = await write({
      patch: [
        { target: target("x"), operations: [{ op: "remove", path: "/spec/a" }] },
        { target: target("x"), operations: [{ op: "remove", path: "/spec/b" }] },
        { target: target("z"), operations: [] },
      ],
    });
    expect(sent).toHaveLength(1);
    expect(sent[0]?.operations).toHaveLength(4);
  });

  it("keep patches of an object and of its status apart", async () => {
    const { sent } = await write({
      patch: [
        { target: target("x"), operations: [{ op: "remove", path: "/spec/a" }] },
        { target: target("x"), subresource: "status", operations: [{ op: "remove", path: "/status/b" }] },
      ],
    });
    expect(sent.map(({ subresource }) => subresource)).toEqual([undefined, "status"]);
  });

  it("apply the status with the uid and version of the snapshot, without what is given up", async () => {
    const { sent } = await write({ apply: { "status.size": undefined, "status.parts.door": "open" } });
    expect(sent).toEqual([
      expect.objectContaining({
        verb: "apply",
        as: "widget-grow",
        subresource: "status",
        body: {
          apiVersion: "test.dev/v1",
          kind: "Widget",
          metadata: { name: "w", namespace: "default", uid: "u1", resourceVersion: "7" },
          status: { parts: { door: "open" } },
        },
      }),
    ]);
  });

  it("release everything that is owned with a body of identity only, without status", async () => {
    const { sent } = await write({ apply: { "status.size": undefined } });
    expect(Object.keys(sent[0]?.body ?? {})).toEqual(["apiVersion", "kind", "metadata"]);
  });

  it("send nothing for an apply that changes nothing", async () => {
    const { sent, written } = await write({ apply: { "status.size": 3 } });
    expect(sent).toEqual([]);
    expect(written).toMatchObject({ requests: 0, fences: [], error: undefined });
  });

  it("are all attempted when one of several objects refuses, and keep the finalizer", async () => {
    const { sent, written } = await write(
      {
        patch: [
          { target: target("x"), operations: [{ op: "remove", path: "/spec/a" }] },
          { target: target("y"), operations: [{ op: "remove", path: "/spec/a" }] },
          { target: target("w"), operations: [removeFinalizer] },
        ],
      },
      ({ name }) => (name === "x" ? conflict : undefined),
    );
    expect(sent.map(({ name }) => name)).toEqual(["x", "y"]);
    expect(written.error).toBe(conflict);
  });

  it("release the finalizer in spite of a failed delete that may fail, and report it", async () => {
    const release = {
      patch: [{ target: target("w"), operations: [removeFinalizer] }],
      delete: [{ target: target("y") }],
    };
    const refuse = ({ verb }: SentWrite): Error | undefined => (verb === "delete" ? forbidden() : undefined);
    const must = await write(release, refuse);
    expect(must.sent.map(({ verb }) => verb)).toEqual(["delete"]);
    expect(must.written.error).toMatchObject({ status: 403 });
    const { sent, written } = await write({ ...release, delete: [mayFail("y")] }, refuse);
    expect(sent.map(({ verb }) => verb)).toEqual(["delete", "create", "jsonPatch"]);
    expect(sent[1]?.body).toMatchObject({ type: "Warning", reason: "FailedDelete", message: "no" });
    expect(written).toMatchObject({ error: undefined, requests: 2 });
  });

  it("keep the finalizer behind a failed delete that says when it is tried again, and report it", async () => {
    const again = { target: target("y"), ifFails: { event: "FailedDelete", againAfterMs: 2_000 } };
    const release = { patch: [{ target: target("w"), operations: [removeFinalizer] }], delete: [again] };
    const refuse = ({ verb }: SentWrite): Error | undefined => (verb === "delete" ? forbidden() : undefined);
    const { sent, written } = await write(release, refuse);
    expect(sent.map(({ verb, kind }) => `${verb} ${kind}`)).toEqual(["delete Widget", "create Event"]);
    expect(written).toMatchObject({ error: undefined, again: { afterMs: 2_000, why: "FailedDelete: no" } });
    const accepted = await write(release);
    expect(accepted.sent.map(({ verb }) => verb)).toEqual(["delete", "jsonPatch"]);
    expect(accepted.written.again).toBeUndefined();
  });

  it("continue behind a create that may fail, report it, and announce one that was accepted", async () => {
    const created = (name: string) => ({
      cluster: MANAGEMENT,
      kind: Widget as unknown as Kind,
      object: { ...widget, metadata: { ...widget.metadata, name } },
      ifFails: { event: "FailedCreate", againAfterMs: 3_000 },
      announces: { type: "Normal", reason: "SuccessfulCreate", message: name } as const,
    });
    const decision = {
      create: [created("a"), created("b")],
      patch: [{ target: target("x"), operations: [{ op: "remove", path: "/spec/a" }] }],
    } as const;
    const { sent, written } = await write(decision, ({ verb, name }) =>
      verb === "create" && name === "a" ? forbidden() : undefined,
    );
    expect(sent.map(({ verb, kind }) => `${verb} ${kind}`)).toEqual([
      "create Widget",
      "create Widget",
      "jsonPatch Widget",
      "create Event",
      "create Event",
    ]);
    expect(sent.slice(3).map(({ body }) => body)).toMatchObject([
      { reason: "SuccessfulCreate", message: "b" },
      { reason: "FailedCreate", message: "no" },
    ]);
    expect(written).toMatchObject({ error: undefined, again: { afterMs: 3_000 } });
  });

  const patchOf = (name: string, options: Partial<GuardedPatch> = {}): GuardedPatch => ({
    target: target(name),
    operations: [{ op: "add", path: "/spec/a", value: 1 }],
    ...options,
  });

  it("continue behind a patch that may fail, with an Event about its target for each that does", async () => {
    const names = ["a", "b", "c"];
    const decision = { patch: names.map((name) => patchOf(name, { ifFails: { event: "FailedPatch" } })) };
    const invalid = new KubeError({ class: "Terminal", status: 422, reason: "Invalid", message: "bad" });
    const { sent, written } = await write(
      { ...decision, delete: [{ target: target("y") }] },
      ({ verb, name }) =>
        verb === "jsonPatch" && name !== "b" ? (name === "a" ? invalid : forbidden()) : undefined,
    );
    expect(sent.map(({ verb, name }) => (verb === "create" ? "Event" : name))).toEqual([
      ...names,
      "y",
      "Event",
      "Event",
    ]);
    expect(sent.slice(4).map(({ body }) => body)).toMatchObject([
      { reason: "FailedPatch", message: "bad", involvedObject: { kind: "Widget", name: "a", uid: "uid-a" } },
      { reason: "FailedPatch", message: "no", involvedObject: { kind: "Widget", name: "c", uid: "uid-c" } },
    ]);
    expect(written).toMatchObject({ error: undefined, again: undefined });
  });

  it("report a patch that names its target by itself on the reconciled object", async () => {
    const names = ["a", "b"];
    const ifFails = (name: string) => ({
      event: "FailedPatch",
      againAfterMs: 5_000,
      says: `Not done to ${name}`,
    });
    const decision = { patch: names.map((name) => patchOf(name, { ifFails: ifFails(name) })) };
    const { sent, written } = await write(decision, ({ verb }) =>
      verb === "jsonPatch" ? forbidden() : undefined,
    );
    const { name } = widget.metadata;
    expect(sent.slice(2).map(({ body }) => body)).toMatchObject([
      { reason: "FailedPatch", message: "Not done to a: no", involvedObject: { kind: "Widget", name } },
      { reason: "FailedPatch", message: "Not done to b: no", involvedObject: { kind: "Widget", name } },
    ]);
    expect(written).toMatchObject({ error: undefined, again: { afterMs: 5_000, why: "FailedPatch: no" } });
  });

  it("run the key again after a patch that may fail and has lost a race, and say nothing of it", async () => {
    const decision = { patch: [patchOf("a", { ifFails: { event: "FailedPatch" } })] };
    const { sent, written } = await write(decision, () => conflict);
    expect(sent.map(({ verb }) => verb)).toEqual(["jsonPatch"]);
    expect(written.error).toBe(conflict);
  });

  it("leave the other patches that may fail to the next run once one gets no answer", async () => {
    const many = Array.from({ length: 30 }, (_, index) =>
      patchOf(`n${index}`, { ifFails: { event: "FailedPatch" } }),
    );
    const { sent, written } = await write({ patch: many }, ({ verb }) =>
      verb === "jsonPatch" ? silent() : undefined,
    );
    expect(sent.filter(({ verb }) => verb === "jsonPatch").length).toBeLessThanOrEqual(8);
    expect(written.error).toBeUndefined();
  });

  it.each(["patch", "delete"])(
    "announce a %s that was accepted, and none that lost its race",
    async (verb) => {
      const announces = (name: string) =>
        ({
          type: "Normal",
          reason: "Marked",
          message: name,
          about: { ...widget, metadata: { ...widget.metadata, name } },
        }) as const;
      const decision =
        verb === "patch"
          ? { patch: ["a", "b"].map((name) => patchOf(name, { announces: announces(name) })) }
          : { delete: ["a", "b"].map((name) => ({ target: target(name), announces: announces(name) })) };
      const { sent } = await write(decision, ({ name }) => (name === "a" ? conflict : undefined));
      expect(sent.flatMap(({ verb, body }) => (verb === "create" ? [body] : []))).toMatchObject([
        { reason: "Marked", message: "b", involvedObject: { name: "b" } },
      ]);
    },
  );

  it.each([
    ["with the uid of their owner once it is made", undefined, ["x", "uid-w"]],
    ["not at all when it is not", forbidden(), []],
  ])("makes dependents %s", async (_, error, expected) => {
    const ownerReferences = [{ apiVersion: "test.dev/v1", kind: "Widget", name: "w", uid: "" }];
    const made = { cluster: MANAGEMENT, kind: Widget };
    const dependent = { ...widget, metadata: { name: "x", namespace: "default", ownerReferences } };
    const create = [
      {
        ...made,
        object: widget,
        ifFails: { event: "FailedCreate" },
        dependents: [{ ...made, object: dependent }],
      },
    ];
    const { sent } = await write({ create }, ({ name }) => (name === "w" ? error : undefined));
    const bodies = sent.filter(({ name }) => name === "x").map(({ body }) => body as KubeObject);
    expect(bodies.flatMap(({ metadata }) => [metadata.name, metadata.ownerReferences?.[0]?.uid])).toEqual(
      expected,
    );
  });

  describe("behind a create that may fail", () => {
    const created = {
      cluster: MANAGEMENT,
      kind: Widget as unknown as Kind,
      object: widget,
      ifFails: {
        event: "FailedCreate",
        about: { ...widget, metadata: { ...widget.metadata, name: "m", uid: "uid-m" } },
      },
      ifRefused: patchOf("m"),
    };
    const answeredBy = (error: Error | undefined) =>
      write({ create: [created], delete: [{ target: target("y") }] }, ({ verb }) =>
        verb === "create" ? error : undefined,
      );

    it.each([
      ["has been refused", forbidden()],
      [
        "a webhook has refused",
        new KubeError({ class: "Transient", status: 500, reason: "InternalError", message: "webhook" }),
      ],
    ])(
      "send its own patch when the object %s, and an Event about the object that is named",
      async (_, error) => {
        const { sent, written } = await answeredBy(error);
        expect(sent.map(({ verb, name }) => `${verb} ${name}`)).toEqual([
          "create w",
          "jsonPatch m",
          "delete y",
          expect.stringMatching(/^create m\./),
        ]);
        expect(sent[3]?.body).toMatchObject({ reason: "FailedCreate", involvedObject: { name: "m" } });
        expect(written.error).toBeUndefined();
      },
    );

    it.each([
      ["was accepted", undefined],
      [
        "exists",
        new KubeError({ class: "Conflict", status: 409, reason: "AlreadyExists", message: "there" }),
      ],
      ["got no answer", silent()],
      [
        "was one too many for a busy server",
        new KubeError({ class: "Throttled", status: 429, reason: "TooManyRequests", message: "busy" }),
      ],
    ])("do not send it when the object %s", async (_, error) => {
      const { sent } = await answeredBy(error);
      expect(sent.filter(({ verb }) => verb === "jsonPatch")).toEqual([]);
    });
  });

  it("do not report a delete that may fail and only lost a race", async () => {
    const { sent, written } = await write({ delete: [mayFail("y")] }, () => conflict);
    expect(sent.map(({ verb }) => verb)).toEqual(["delete"]);
    expect(written.error).toBeUndefined();
  });

  it("fence the next run behind the versions they made, and above a version that lost a race", async () => {
    const { written } = await write(
      {
        patch: [
          { target: target("x"), operations: [{ op: "remove", path: "/spec/a" }] },
          { target: target("y"), operations: [{ op: "remove", path: "/spec/a" }] },
        ],
      },
      ({ name }) => (name === "x" ? new KubeError({ ...conflict, message: "changed" }) : undefined),
    );
    expect(written.fences.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      expect.objectContaining({ name: "x", resourceVersion: "7", newerThan: true }),
      expect.objectContaining({ name: "y", resourceVersion: "1001" }),
    ]);
  });

  it.each([
    ["its end, which is answered with the version before", { resourceVersion: "7" }, { newerThan: true }],
    ["what other finalizers keep", { resourceVersion: "8", finalizers: ["other"] }, {}],
    ["a patch of one that lives", { resourceVersion: "7", deletionTimestamp: undefined }, {}],
  ])("fence the next run behind the end of an object: %s", async (_, metadata, more) => {
    const deleted = { name: "w", deletionTimestamp: "2026-01-01T00:00:00Z", ...metadata };
    const answer = { apiVersion: "test.dev/v1", kind: "Widget", metadata: deleted } as unknown as KubeObject;
    const clients: Clients = {
      of: (...of) => ({ ...recordingClients().of(...of), jsonPatch: async () => answer as never }),
    };
    const patch = [{ target: target("w"), operations: [removeFinalizer] }];
    const { written } = await write({ patch }, undefined, undefined, clients);
    const { resourceVersion } = metadata;
    expect(written.fences).toEqual([
      { cluster: MANAGEMENT, ...KEY_OF_WIDGET, name: "w", resourceVersion, ...more },
    ]);
  });

  it("fence the next run behind an apply whose second request fails", async () => {
    const metadata = { name: "w", resourceVersion: "8", managedFields: [{ manager: "before-first-apply" }] };
    const answer = { apiVersion: "test.dev/v1", kind: "Widget", metadata } as unknown as KubeObject;
    const clients: Clients = {
      of: (...of) => ({
        ...recordingClients().of(...of),
        apply: async () => answer as never,
        jsonPatch: () => Promise.reject(conflict),
      }),
    };
    const { written } = await write({ apply: { status: { size: 4 } } }, undefined, undefined, clients);
    expect(written.error).toBe(conflict);
    expect(written.fences).toContainEqual({
      cluster: MANAGEMENT,
      ...KEY_OF_WIDGET,
      name: "w",
      resourceVersion: "8",
    });
  });

  it("end with a create that failed: no status names an object that does not exist", async () => {
    const { sent, written } = await write(
      {
        create: [{ cluster: MANAGEMENT, kind: Secret, object: secret }],
        apply: { "status.size": 4 },
        delete: [{ target: target("y") }],
        events: [{ type: "Normal", reason: "Created", message: "Secret s" }],
      },
      ({ verb }) => (verb === "create" ? conflict : undefined),
    );
    expect(sent.map(({ verb }) => verb)).toEqual(["create"]);
    expect(written.error).toBe(conflict);
  });

  it("do not count a request to a workload cluster that is not connected", async () => {
    const { written } = await write(
      { delete: [{ target: target("y") }] },
      () => new WaitingError("Connection default/c1"),
    );
    expect(written).toMatchObject({ requests: 0, error: { what: "Connection default/c1" } });
  });

  it("are given up where they may fail once one of them gets no answer, which takes its time", async () => {
    const names = Array.from({ length: 30 }, (_, index) => `n${index}`);
    const many = { delete: names.map(mayFail) };
    const refuse = ({ verb }: SentWrite): Error | undefined => (verb === "delete" ? silent() : undefined);
    const { sent, written } = await write(many, refuse);
    expect(sent.filter(({ verb }) => verb === "delete").length).toBeLessThanOrEqual(8);
    expect(written.error).toBeUndefined();
  });

  it("may fail one by one: the finalizer is kept by the delete that must not fail", async () => {
    const refuse = ({ verb }: SentWrite): Error | undefined => (verb === "delete" ? forbidden() : undefined);
    const { sent, written } = await write(
      {
        patch: [{ target: target("w"), operations: [removeFinalizer] }],
        delete: [mayFail("x"), { target: target("y") }, mayFail("z")],
      },
      refuse,
    );
    expect(sent.map(({ verb, name }) => (verb === "delete" ? name : verb))).toEqual([
      "x",
      "y",
      "z",
      "create",
    ]);
    expect(written.error).toMatchObject({ status: 403 });
  });

  it("are all attempted that must not fail, although one that may fail got no answer", async () => {
    const must = Array.from({ length: 20 }, (_, index) => ({ target: target(`m${index}`) }));
    const may = Array.from({ length: 20 }, (_, index) => mayFail(`n${index}`));
    const refuse = ({ verb, name }: SentWrite): Error | undefined =>
      verb === "delete" && name.startsWith("n") ? silent() : undefined;
    const { sent, written } = await write({ delete: [...may, ...must] }, refuse);
    const deleted = sent.filter(({ verb }) => verb === "delete").map(({ name }) => name);
    expect(deleted.filter((name) => name.startsWith("m"))).toHaveLength(20);
    expect(deleted.filter((name) => name.startsWith("n")).length).toBeLessThanOrEqual(8);
    expect(written.error).toBeUndefined();
  });

  describe("behind a delete whose object must end", () => {
    const decision = {
      patch: [{ target: target("w"), operations: [removeFinalizer] }],
      delete: [
        { target: target("z") },
        { target: target("x"), mustEnd: true },
        { target: target("y"), mustEnd: true },
      ],
    } as const;
    /** Names in the order in which they are deleted, and `let go` for the finalizer. */
    async function order(
      isKept: (name: string) => boolean,
      refuse?: (write: SentWrite) => Error | undefined,
    ) {
      const own = recordingClients(refuse);
      const ending: Clients = {
        of: (...named) => {
          const client = own.of(...named);
          return {
            ...client,
            delete: async (kind, key, preconditions) => {
              const answer = await client.delete(kind, key, preconditions);
              return isKept(key.name) ? answer : undefined;
            },
          };
        },
      };
      const { written } = await write(decision, refuse, undefined, ending);
      return { sent: own.sent.map(({ verb, name }) => (verb === "delete" ? name : "let go")), written };
    }

    it("follow the others, then the finalizer, once each is gone", async () => {
      expect((await order(() => false)).sent).toEqual(["x", "y", "z", "let go"]);
    });

    it("follow nothing while one stays, without a failure", async () => {
      for (const [kept, sent] of [
        ["x", ["x"]],
        ["y", ["x", "y"]],
      ] as const) {
        const found = await order((name) => name === kept);
        expect(found.sent).toEqual(sent);
        expect(found.written).toMatchObject({ error: undefined, stays: true });
      }
    });

    it("follow nothing when one is refused", async () => {
      const refuse = ({ name }: SentWrite) => (name === "x" ? conflict : undefined);
      const { sent, written } = await order(() => false, refuse);
      expect(sent).toEqual(["x"]);
      expect(written.error).toBe(conflict);
    });
  });

  it("do not call it done when the lease is lost before a delete that may fail", async () => {
    const { sent, written } = await write(
      { delete: [mayFail("y")] },
      undefined,
      AbortSignal.abort(new Error("lease lost")),
    );
    expect(sent).toEqual([]);
    expect(written.error).toMatchObject({ message: "lease lost" });
  });

  it("stop once the lease is lost", async () => {
    const lost = new AbortController();
    lost.abort(new Error("fenced"));
    const { sent, written } = await write(
      { delete: [{ target: target("y") }], events: [{ type: "Normal", reason: "Odd", message: "m" }] },
      undefined,
      lost.signal,
    );
    expect(sent).toEqual([]);
    expect(written.error).toMatchObject({ message: "fenced" });
  });
});

function patch(name: string, operations: readonly PatchOperation[], subresource?: "status"): GuardedPatch {
  const target = refTo(Machine, soloMachine({ metadata: { name } }));
  return { target, operations, ...(subresource === undefined ? {} : { subresource }) };
}

const LABEL: PatchOperation = { op: "add", path: "/metadata/labels/a", value: "b" };
const VERSION: PatchOperation = { op: "add", path: "/spec/version", value: "v1.34.0" };
const RELEASE: PatchOperation = { op: "remove", path: "/metadata/finalizers/0" };

describe("patches of one decision", () => {
  it.each<readonly [string, readonly GuardedPatch[], readonly (readonly PatchOperation[])[]]>([
    ["of one object are one request", [patch("m1", [LABEL]), patch("m1", [VERSION])], [[LABEL, VERSION]]],
    ["of two objects stay two", [patch("m1", [LABEL]), patch("m2", [VERSION])], [[LABEL], [VERSION]]],
    [
      "of an object and its status stay two",
      [patch("m1", [LABEL]), patch("m1", [VERSION], "status")],
      [[LABEL], [VERSION]],
    ],
    [
      "that remove a finalizer stay apart: they are sent last",
      [patch("m1", [RELEASE]), patch("m1", [LABEL])],
      [[RELEASE], [LABEL]],
    ],
    [
      "with other options stay apart",
      [patch("m1", [LABEL]), { ...patch("m1", [VERSION]), ifFails: { event: "Failed" } }],
      [[LABEL], [VERSION]],
    ],
    ["without operations are left out", [patch("m1", []), patch("m2", [])], []],
  ])("%s", (_, patches, requests) => {
    expect(mergePatches(patches).map(({ operations }) => operations)).toEqual(requests);
  });
});

const FN = { spec: { reconciles: Cluster } } as unknown as AnyFunction;
const OBJECT = cluster({ status: { phase: "Provisioned" } });

async function bodiesOf(
  apply: NonNullable<AnyDecision["apply"]>,
  lacks: readonly string[] = [],
): Promise<readonly object[]> {
  const store = createMemoryStore();
  await store.put(managementType(CustomResourceDefinition), [
    {
      apiVersion: apiVersionOf(CustomResourceDefinition),
      kind: CustomResourceDefinition.kind,
      metadata: { name: "clusters.cluster.x-k8s.io", uid: "uid-crd", resourceVersion: "1" },
      spec: { group: Cluster.group, names: { kind: Cluster.kind, plural: Cluster.plural }, versions: [] },
      status: { watched: true, lacks },
    } as CustomResourceDefinition,
  ]);
  return (await ownStatus(FN, OBJECT, { apply }, { store })).map(({ body }) => body);
}

describe("the apply of owned fields", () => {
  it("is not sent when the snapshot has all of it", async () => {
    expect(await bodiesOf({ "status.phase": "Provisioned" })).toEqual([]);
    expect(await bodiesOf({ "status.phase": "Provisioned", "status.failureReason": undefined })).toEqual([]);
  });

  it("is the whole of it when one field differs: what is left out is given up", async () => {
    const apply = {
      "status.phase": "Provisioned",
      "status.initialization.infrastructureProvisioned": true,
      "status.initialization.controlPlaneInitialized": false,
    };
    const initialization = { infrastructureProvisioned: true, controlPlaneInitialized: false };
    expect(await bodiesOf(apply)).toEqual([{ status: { phase: "Provisioned", initialization } }]);
  });

  it("leaves out the fields that are given up", async () => {
    expect(await bodiesOf({ "status.phase": undefined })).toEqual([{}]);
  });

  it("leaves out what the definition on the server lacks, with parents that hold nothing else, and is not sent for it alone", async () => {
    const lacks = ["status.workers.versions", "status.controlPlane.versions"];
    const apply = {
      "status.phase": "Provisioned",
      "status.workers.versions": [{ version: "v1.34.2" }],
      "status.controlPlane": { versions: [], replicas: 3 },
    };
    expect(await bodiesOf(apply, lacks)).toEqual([
      { status: { phase: "Provisioned", controlPlane: { replicas: 3 } } },
    ]);
    expect(await bodiesOf({ ...apply, "status.controlPlane": { versions: [] } }, lacks)).toEqual([]);
  });
});
