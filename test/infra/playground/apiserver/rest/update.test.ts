import { describe, expect, it } from "vitest";
import { MERGE, startTestServer, WIDGETS_PATH, widget } from "../api-client.ts";

const PATH = `${WIDGETS_PATH}/a`;

describe("updates", () => {
  it("need the present resourceVersion", async () => {
    await using api = await startTestServer();
    const { body: made } = await api.call("POST", WIDGETS_PATH, { body: widget("a") });
    const without = await api.call("PUT", PATH, { body: widget("a", { size: 1 }) });
    expect([without.code, without.body.details.causes[0].field]).toEqual([422, "metadata.resourceVersion"]);
    const { resourceVersion } = made.metadata;
    expect((await api.call("PUT", PATH, { body: widget("a", { size: 1 }, { resourceVersion }) })).code).toBe(
      200,
    );
    const stale = await api.call("PUT", PATH, { body: widget("a", { size: 2 }, { resourceVersion }) });
    expect([stale.code, stale.body.message]).toEqual([
      409,
      'Operation cannot be fulfilled on widgets.test.capstan.dev "a": the object has been modified; please apply your changes to the latest version and try again',
    ]);
  });

  it("never create", async () => {
    await using api = await startTestServer();
    expect((await api.call("PUT", PATH, { body: widget("a", {}, { resourceVersion: "1" }) })).code).toBe(404);
  });

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

  it("keep status and the rest apart", async () => {
    await using api = await startTestServer();
    await api.call("POST", WIDGETS_PATH, { body: widget("a", { size: 1 }) });
    const body = {
      metadata: { labels: { a: "b" }, finalizers: ["a.b/c"] },
      spec: { size: 9 },
      status: { phase: "Up" },
    };
    const status = await api.call("PATCH", `${PATH}/status`, { type: MERGE, body });
    expect(status.body).toMatchObject({ spec: { size: 1 }, status: { phase: "Up" } });
    expect([status.body.metadata.labels, status.body.metadata.finalizers]).toEqual([undefined, undefined]);
    const main = await api.call("PATCH", PATH, {
      type: MERGE,
      body: { spec: { size: 2 }, status: { phase: "Down" } },
    });
    expect(main.body).toMatchObject({ spec: { size: 2 }, status: { phase: "Up" } });
  });

  it("that change nothing store nothing", async () => {
    await using api = await startTestServer();
    const { body: made } = await api.call("POST", WIDGETS_PATH, { body: widget("a", { size: 1 }) });
    const again = await api.call("PATCH", PATH, { type: MERGE, body: { spec: { size: 1 } } });
    expect(again.body).toEqual(made);
  });
});
