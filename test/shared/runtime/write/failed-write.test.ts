import { describe, expect, it } from "vitest";
import { type Kind, MANAGEMENT, type ObjectRef } from "../../../../shared/api/kinds.ts";
import { KubeError, type KubeErrorDetails } from "../../../../shared/function/errors.ts";
import {
  type FailedWrite,
  judgeFailedWrite,
  type Verdict,
} from "../../../../shared/runtime/write/failed-write.ts";
import { recordingClients } from "../../../support/recording-clients.ts";

const Widget: Kind = {
  group: "test.dev",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};
const ref: ObjectRef = {
  cluster: MANAGEMENT,
  kind: Widget,
  namespace: "default",
  name: "w",
  uid: "u1",
  resourceVersion: "7",
};

function failure(details: Partial<KubeErrorDetails>): KubeError {
  return new KubeError({ class: "Transient", status: 0, reason: "NoAnswer", message: "m", ...details });
}
const lostAnswer = failure({});
const failedTest = failure({ class: "Conflict", status: 422, reason: "Invalid" });

function servedAt(resourceVersion: string, uid = "u1") {
  return {
    apiVersion: "test.dev/v1",
    kind: "Widget",
    metadata: { name: "w", namespace: "default", uid, resourceVersion },
  };
}

async function judge(
  write: Partial<FailedWrite>,
  served: readonly object[] = [],
): Promise<Verdict & { readonly looks: number }> {
  let looks = 0;
  const clients = recordingClients(undefined, served as Parameters<typeof recordingClients>[1]);
  const verdict = await judgeFailedWrite({ ref, verb: "patch", error: lostAnswer, ...write }, () => {
    looks += 1;
    return clients.of(MANAGEMENT, "widget-grow");
  });
  return { ...verdict, looks };
}

describe("after a failed write", () => {
  it.each(["patch", "apply"] as const)(
    "the next run sees what a %s whose answer was lost has done (KC-07)",
    async (verb) => {
      expect(await judge({ verb }, [servedAt("8")])).toEqual({
        error: lostAnswer,
        fence: expect.objectContaining({ name: "w", group: "test.dev", resourceVersion: "8" }),
        looks: 1,
      });
    },
  );

  it.each([
    ["500", failure({ status: 500, reason: "InternalError" })],
    ["502 of a proxy", failure({ status: 502 })],
    ["504", failure({ status: 504, reason: "Timeout" })],
    ["an answer that cannot be read", failure({ reason: "Undecodable" })],
  ])("%s leaves open whether it was done", async (_what, error) => {
    expect(await judge({ error }, [servedAt("9")])).toMatchObject({ fence: { resourceVersion: "9" } });
  });

  it.each(["create", "delete"] as const)("a %s needs no look: repeated it guards itself", async (verb) => {
    expect(await judge({ verb }, [servedAt("8")])).toEqual({ error: lostAnswer, fence: undefined, looks: 0 });
  });

  it.each([
    ["an invalid field", failure({ class: "Terminal", status: 422, reason: "Invalid" })],
    ["a refusal", failure({ status: 403, reason: "Forbidden" })],
    ["another field manager", failure({ status: 409, reason: "Conflict" })],
    ["a server that asks to wait", failure({ class: "Throttled", status: 429 })],
  ])("%s is an answer: nothing is read", async (_what, error) => {
    expect(await judge({ error }, [servedAt("8")])).toEqual({ error, fence: undefined, looks: 0 });
  });

  it("a lost race waits for a newer snapshot without a look", async () => {
    const error = failure({ class: "Conflict", status: 409, reason: "Conflict" });
    expect(await judge({ error })).toEqual({
      error,
      fence: expect.objectContaining({ resourceVersion: "7", newerThan: true }),
      looks: 0,
    });
  });

  it("a failed test is a race when the object has changed", async () => {
    expect(await judge({ error: failedTest }, [servedAt("12")])).toMatchObject({
      error: failedTest,
      fence: { resourceVersion: "12" },
    });
    expect(await judge({ error: failedTest }, [servedAt("12", "u2")])).toMatchObject({
      error: failedTest,
      fence: { resourceVersion: "12" },
    });
    expect(await judge({ error: failedTest })).toMatchObject({ error: failedTest, fence: undefined });
  });

  it("a failed test on a restored server waits for another snapshot, whatever version the object is at (KR-12)", async () => {
    const another = { resourceVersion: "7", newerThan: true };
    expect((await judge({ error: failedTest }, [servedAt("5")])).fence).toMatchObject(another);
    expect((await judge({ error: failedTest }, [servedAt("7", "u2")])).fence).toMatchObject(another);
  });

  it("a failed test is a bug when the object is still what the patch was made for", async () => {
    const verdict = await judge({ error: failedTest }, [servedAt("7")]);
    expect(verdict.error).toMatchObject({ class: "Terminal", message: expect.stringMatching(/^bug: /) });
    expect(verdict.fence).toBeUndefined();
  });

  it.each([
    ["a failed test", failedTest, [servedAt("7")]],
    ["a conflict", failure({ class: "Conflict", status: 409, reason: "Conflict" }), [servedAt("7")]],
    ["a Node that is gone", failure({ class: "Conflict", status: 404, reason: "NotFound" }), []],
  ])("of a Node patched without a version, %s is a failure like any other", async (_what, error, served) => {
    const node = { ...ref, resourceVersion: undefined };
    const verdict = await judge({ ref: node, error }, served);
    expect(verdict.error).toMatchObject({ class: "Transient", reason: "PatchRefused", status: error.status });
    expect(verdict.fence?.resourceVersion).toBe(served.length === 0 ? undefined : "7");
    expect(verdict.looks).toBe(1);
  });

  it("stays what it was when the look fails too", async () => {
    const client = (): never => {
      throw new Error("not connected");
    };
    const write = { ref, verb: "patch", error: lostAnswer } as const;
    expect(await judgeFailedWrite(write, client)).toEqual({ error: lostAnswer, fence: undefined });
    const race = { ...write, error: failedTest };
    expect((await judgeFailedWrite(race, client)).fence).toMatchObject({ newerThan: true });
  });

  it("is not an error of the API server when it did not come from there", async () => {
    const error = new Error("the lease is lost");
    expect(await judge({ error })).toEqual({ error, looks: 0 });
  });
});
