import { describe, expect, it } from "vitest";
import { MERGE, startTestServer, WIDGETS_PATH, widget } from "../api-client.ts";

const PATH = `${WIDGETS_PATH}/a`;

describe("updates", () => {
  it("refuse another uid", async () => {
    await using api = await startTestServer();
    const { body: made } = await api.call("POST", WIDGETS_PATH, { body: widget("a") });
    const { resourceVersion } = made.metadata;
    const reply = await api.call("PUT", PATH, { body: widget("a", {}, { resourceVersion, uid: "other" }) });
    expect([reply.code, reply.body.message]).toEqual([
      409,
      expect.stringContaining(
        `Precondition failed: UID in precondition: other, UID in object meta: ${made.metadata.uid}`,
      ),
    ]);
  });

  it("raise the generation for the spec, not for labels or status", async () => {
    await using api = await startTestServer();
    await api.call("POST", WIDGETS_PATH, { body: widget("a") });
    const patch = async (body: unknown, path = PATH) =>
      (await api.call("PATCH", path, { type: MERGE, body })).body.metadata.generation;
    expect(await patch({ metadata: { labels: { a: "b" } } })).toBe(1);
    expect(await patch({ status: { phase: "Up" } }, `${PATH}/status`)).toBe(1);
    expect(await patch({ metadata: { generation: 40 } })).toBe(1);
    expect(await patch({ spec: { size: 3 } })).toBe(2);
  });
});
