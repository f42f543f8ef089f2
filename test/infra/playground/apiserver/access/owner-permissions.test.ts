import { describe, expect, it } from "vitest";
import { APPLY, clientFor, MERGE, startTestServer, WIDGETS_PATH, widget } from "../api-client.ts";

const WIDGETS = { groups: ["test.capstan.dev"], resources: ["widgets"] };

describe("blocking the deletion of an owner", () => {
  it("S-06: needs permission on the owner's finalizers", async () => {
    await using api = await startTestServer();
    const { body: owner } = await api.call("POST", WIDGETS_PATH, { body: widget("owner") });
    const reference = {
      apiVersion: "test.capstan.dev/v1",
      kind: "Widget",
      name: "owner",
      uid: owner.metadata.uid,
      blockOwnerDeletion: true,
    };
    const ownerReferences = [reference];
    const allow = [{ verbs: ["*"], ...WIDGETS }];
    const user = clientFor(api.server.url, api.server.addUser({ name: "u", allow }));
    const created = await user.call("POST", WIDGETS_PATH, { body: widget("a", {}, { ownerReferences }) });
    expect([created.code, created.body.message]).toEqual([
      403,
      expect.stringContaining("cannot set blockOwnerDeletion"),
    ]);
    await api.call("POST", WIDGETS_PATH, { body: widget("a") });
    const metadata = { ownerReferences };
    const patched = await user.call("PATCH", `${WIDGETS_PATH}/a`, { type: MERGE, body: { metadata } });
    expect(patched.code).toBe(403);
    const applied = await user.call("PATCH", `${WIDGETS_PATH}/b?fieldManager=m`, {
      type: APPLY,
      body: widget("b", {}, metadata),
    });
    expect(applied.code).toBe(403);
    const harmless = { ownerReferences: [{ ...reference, blockOwnerDeletion: false }] };
    expect(
      (await user.call("PATCH", `${WIDGETS_PATH}/a`, { type: MERGE, body: { metadata: harmless } })).code,
    ).toBe(200);
    const finalizers = { verbs: ["update"], ...WIDGETS, resources: ["widgets/finalizers"] };
    const entitled = clientFor(
      api.server.url,
      api.server.addUser({ name: "v", allow: [...allow, finalizers] }),
    );
    expect(
      (await entitled.call("PATCH", `${WIDGETS_PATH}/a`, { type: MERGE, body: { metadata } })).code,
    ).toBe(200);
    // Once it is so, others may change the object all the same.
    const labels = { metadata: { labels: { k: "v" } } };
    expect((await user.call("PATCH", `${WIDGETS_PATH}/a`, { type: MERGE, body: labels })).code).toBe(200);
  });
});
