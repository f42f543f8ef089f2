import { describe, expect, it } from "vitest";
import { openRuntimeApi } from "../../../infra/worker/lambda-runtime.ts";
import { startLambdaApi } from "../../support/processes/lambda-api.ts";
import { recordingLog } from "../../support/recording-log.ts";

type Handler = Parameters<ReturnType<typeof openRuntimeApi>["serve"]>[0];

/** A handler that is served until the test ends. */
async function serving(handler: Handler) {
  const api = await startLambdaApi();
  const { log, lines } = recordingLog();
  const stop = new AbortController();
  const ended = openRuntimeApi(api.address, log).serve(handler, stop.signal);
  ended.catch(() => undefined);
  const dispose = async (): Promise<void> => {
    stop.abort();
    await ended.catch(() => undefined);
    await api[Symbol.asyncDispose]();
  };
  return { api, lines, stop, ended, [Symbol.asyncDispose]: dispose };
}

describe("the Runtime API of AWS Lambda", () => {
  it("hands over one event after the other, each with its remaining time, and takes the answers", async () => {
    await using world = await serving(async (event, { getRemainingTimeInMillis }) => ({
      event,
      hasTime: (getRemainingTimeInMillis?.() ?? 0) > 0,
    }));
    for (const n of [1, 2]) {
      expect(await world.api.invoke(JSON.stringify({ n }))).toEqual({
        type: "response",
        body: { event: { n }, hasTime: true },
      });
    }
    expect(await world.api.invoke("{}", { deadlineMs: Date.now() - 1 })).toMatchObject({
      body: { hasTime: false },
    });
    await world.api.idle();
    world.stop.abort();
    await world.ended;
  });

  it("answers what cannot be read, and a handler that throws, with an error that has no secret", async () => {
    await using world = await serving(async (event) => {
      if (event === 1) throw new RangeError("no rediss://capstan:canary-password@redis:6379 there");
      return {};
    });
    const large = JSON.stringify({ text: "x".repeat(9 * 1024 * 1024) });
    expect(await world.api.invoke("{ canary-secret")).toMatchObject({
      type: "error",
      errorType: "Capstan.TypeError",
      body: { errorType: "TypeError", errorMessage: expect.stringContaining("is not JSON"), stackTrace: [] },
    });
    expect(await world.api.invoke(large)).toMatchObject({
      body: { errorMessage: expect.stringContaining("larger") },
    });
    expect(await world.api.invoke("1")).toMatchObject({ body: { errorType: "RangeError" } });
    expect(await world.api.invoke("2")).toEqual({ type: "response", body: {} });
    expect(world.lines).toHaveLength(3);
    expect(JSON.stringify(world.lines)).not.toContain("canary");
  });

  it("ends the process when the Runtime API fails, and says why a start has failed", async () => {
    await using world = await serving(async () => ({}));
    await world.api.idle();
    void world.api.invoke("{}");
    world.api.failNext(500);
    await expect(world.ended).rejects.toThrow(/answered 500 to POST \/runtime\/invocation\/.+\/response/);
    await openRuntimeApi(world.api.address, recordingLog().log).failInit(new Error("no queue"));
    expect(world.api.initErrors).toEqual([
      {
        type: "error",
        errorType: "Capstan.Error",
        body: { errorType: "Error", errorMessage: "no queue", stackTrace: [] },
      },
    ]);
  });
});
