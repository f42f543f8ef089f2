import { describe, expect, it } from "vitest";
import { JSON_PATCH, MERGE, startTestServer, WIDGETS_PATH, widget } from "../api-client.ts";

const PATH = `${WIDGETS_PATH}/a`;

describe("deletion", () => {
  it("waits for finalizers, and ends with the last one", async () => {
    await using api = await startTestServer();
    await api.call("POST", WIDGETS_PATH, { body: widget("a", {}, { finalizers: ["a.b/c"] }) });
    const first = await api.call("DELETE", PATH);
    expect(first.body.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, generation: 2 });
    expect((await api.call("DELETE", PATH)).body).toEqual(first.body);
    const added = await api.call("PATCH", PATH, {
      type: MERGE,
      body: { metadata: { finalizers: ["a.b/c", "d.e/f"] } },
    });
    expect([added.code, added.body.details.causes[0].reason]).toEqual([422, "FieldValueForbidden"]);
    const { resourceVersion } = first.body.metadata;
    await using watch = await api.watch(`${WIDGETS_PATH}?watch=1&resourceVersion=${resourceVersion}`);
    const body = [{ op: "remove", path: "/metadata/finalizers" }];
    const last = await api.call("PATCH", PATH, { type: JSON_PATCH, body });
    expect([last.code, last.body.metadata.resourceVersion]).toEqual([200, resourceVersion]);
    const gone = await watch.next();
    expect(gone?.type).toBe("DELETED");
    expect(Number(gone?.object.metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
    expect((await api.call("GET", PATH)).code).toBe(404);
  });

  it("of a collection takes what the selector matches", async () => {
    await using api = await startTestServer();
    for (const name of ["a", "b"])
      await api.call("POST", WIDGETS_PATH, { body: widget(name, {}, { labels: { name } }) });
    const reply = await api.call("DELETE", `${WIDGETS_PATH}?labelSelector=name=a`);
    expect(reply.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(["a"]);
    expect((await api.call("GET", WIDGETS_PATH)).body.items).toHaveLength(1);
  });
});
