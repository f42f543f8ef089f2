import { describe, expect, it } from "vitest";
import type { KubeObject, ObjectRef } from "../../../../shared/api/kinds.ts";
import { MANAGEMENT, refTo } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
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
