import { describe, expect, it } from "vitest";
import type { KubeObject, ObjectRef } from "../../../../shared/api/kinds.ts";
import { MANAGEMENT, refTo } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import type { KubeClient } from "../../../../shared/runtime/ports.ts";
import {
  toApply,
  toCreate,
  toDelete,
  toPatch,
  type WriteRequest,
} from "../../../../shared/runtime/write/write-request.ts";
import { machine } from "../../../support/builders.ts";

const TARGET: ObjectRef = refTo(Machine, machine("m1"));
const OPERATION = { op: "add", path: "/spec/version", value: "v1" } as const;

/** The call that a request makes: verb and arguments. */
async function callOf({ request }: WriteRequest): Promise<readonly unknown[]> {
  const calls: unknown[][] = [];
  const client = new Proxy({} as KubeClient, {
    get:
      (_, verb) =>
      (...args: readonly unknown[]) => {
        calls.push([verb, ...args.slice(1)]);
        return { metadata: {} };
      },
  });
  await request(client);
  expect(calls).toHaveLength(1);
  return calls[0] ?? [];
}

describe("requests of a decision", () => {
  it("a patch tests uid and version of what it was made for, before its operations", async () => {
    const [verb, , operations] = await callOf(toPatch({ target: TARGET, operations: [OPERATION] }));
    expect(verb).toBe("jsonPatch");
    expect(operations).toEqual([
      { op: "test", path: "/metadata/uid", value: "uid-m1" },
      { op: "test", path: "/metadata/resourceVersion", value: "70" },
      OPERATION,
    ]);
  });

  it("a patch that must not lose against other writers tests the uid alone", async () => {
    const target = { ...TARGET, resourceVersion: undefined };
    const [, , operations, subresource] = await callOf(
      toPatch({ target, operations: [OPERATION], subresource: "status" }),
    );
    expect([operations, subresource]).toEqual([
      [{ op: "test", path: "/metadata/uid", value: "uid-m1" }, OPERATION],
      "status",
    ]);
  });

  it("a delete carries uid and version", async () => {
    expect((await callOf(toDelete({ target: TARGET }))).at(-1)).toEqual({
      uid: "uid-m1",
      resourceVersion: "70",
    });
  });

  it("an apply carries identity, uid and version, and its own labels beside them", async () => {
    const body = {
      metadata: { labels: { a: "1" }, name: "other", uid: "other" },
      status: { phase: "Running" },
    };
    const [, , applied] = await callOf(toApply({ target: TARGET, body, subresource: "status" }, "capstan-f"));
    expect(applied).toEqual({
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "Machine",
      metadata: {
        labels: { a: "1" },
        name: "m1",
        namespace: "default",
        uid: "uid-m1",
        resourceVersion: "70",
      },
      status: { phase: "Running" },
    });
  });

  it("KW-02: what lost managers would keep goes first where the rest of it is not valid without what goes", async () => {
    const calls: unknown[][] = [];
    const note = (...call: readonly unknown[]) => calls.push([...call]);
    const invalid = new KubeError({ class: "Terminal", status: 422, reason: "Invalid", message: "required" });
    const found = { ...machine("m1"), status: { deletion: { nodeDrainStartTime: "t" } } };
    const client = {
      apply: async (_kind: unknown, _key: unknown, sent: KubeObject) => {
        note("apply", sent.metadata.resourceVersion);
        if (sent.metadata.resourceVersion === "70") throw invalid;
        return sent;
      },
      get: async () => found,
      jsonPatch: async (_kind: unknown, _key: unknown, operations: unknown) => {
        note("patch", operations);
        return { ...found, metadata: { ...found.metadata, resourceVersion: "71" } };
      },
    } as unknown as KubeClient;
    const given = { target: TARGET, body: { status: {} }, subresource: "status" } as const;
    await toApply({ ...given, own: { status: found.status } }, "capstan-f").request(client);
    expect(calls).toEqual([
      ["apply", "70"],
      [
        "patch",
        [
          { op: "test", path: "/metadata/resourceVersion", value: "70" },
          { op: "remove", path: "/status/deletion" },
        ],
      ],
      ["apply", "71"],
    ]);
    await expect(toApply(given, "capstan-f").request(client)).rejects.toBe(invalid);
  });

  it("the manager that stands for lost ones goes with the first apply, and nothing is sent after the next", async () => {
    const patches: unknown[] = [];
    const answers = [["before-first-apply", "capstan-f"], ["capstan-f"]];
    const client = {
      apply: async (_kind: unknown, _key: unknown, sent: KubeObject) => ({
        ...sent,
        metadata: { ...sent.metadata, managedFields: answers.shift()?.map((manager) => ({ manager })) },
      }),
      jsonPatch: async (_kind: unknown, _key: unknown, ...patch: readonly unknown[]) => patches.push(patch),
    } as unknown as KubeClient;
    const { request } = toApply({ target: TARGET, body: { status: {} }, subresource: "status" }, "capstan-f");
    await request(client);
    await request(client);
    answers.push(["before-first-apply", "capstan-f"], ["before-first-apply", "capstan-f"]);
    const refused = (status: number, reason: string) =>
      ({
        ...client,
        jsonPatch: async () => {
          throw new KubeError({ class: "Terminal", status, reason, message: "no" });
        },
      }) as unknown as KubeClient;
    // An account may have the right to write the status alone.
    await expect(request(refused(403, "Forbidden"))).resolves.toMatchObject({ metadata: { name: "m1" } });
    await expect(request(refused(409, "Conflict"))).rejects.toThrow("no");
    const guard = { op: "test", path: "/metadata/resourceVersion", value: "70" };
    expect(patches).toEqual([[[guard, { op: "remove", path: "/metadata/managedFields/0" }], undefined]]);
  });

  it("a create names no version, also where its object is a copy of another", () => {
    const object: KubeObject = machine("m1");
    const { ref, verb } = toCreate({ cluster: MANAGEMENT, kind: Machine, object });
    expect([verb, ref.resourceVersion]).toEqual(["create", undefined]);
  });

  it("an Event about a refused patch is about the object that was patched, unless the patch says for itself", () => {
    const ifFails = { event: "FailedSync", againAfterMs: 1_000 } as const;
    const silent = toPatch({ target: TARGET, operations: [], ifFails });
    expect(silent.ifFails).toMatchObject({
      about: { kind: "Machine", metadata: { name: "m1", uid: "uid-m1" } },
    });
    const speaking = toPatch({ target: TARGET, operations: [], ifFails: { ...ifFails, says: "Failed" } });
    expect(speaking.ifFails).not.toHaveProperty("about");
  });
});
