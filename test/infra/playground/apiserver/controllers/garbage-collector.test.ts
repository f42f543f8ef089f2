import { describe, expect, it } from "vitest";
import { eventually, holds } from "../../../../support/eventually.ts";
import {
  type Body,
  MERGE,
  startTestServer,
  type TestApiServer,
  WIDGETS_PATH,
  widget,
} from "../api-client.ts";

interface Owner {
  readonly name: string;
  readonly uid: string;
}

async function create(
  api: TestApiServer,
  name: string,
  owners: readonly Body[] = [],
  metadata: Body = {},
): Promise<Owner> {
  const ownerReferences = owners.map((owner) => ({
    apiVersion: "test.capstan.dev/v1",
    kind: "Widget",
    ...owner,
  }));
  const body = widget(name, {}, { ...metadata, ...(owners.length > 0 ? { ownerReferences } : {}) });
  const { body: made } = await api.call("POST", WIDGETS_PATH, { body });
  return { name, uid: made.metadata.uid };
}

const read = (api: TestApiServer, name: string) => api.call("GET", `${WIDGETS_PATH}/${name}`);
const remove = (api: TestApiServer, name: string, propagationPolicy = "Background") =>
  api.call("DELETE", `${WIDGETS_PATH}/${name}`, { body: { propagationPolicy } });
const isGone = (api: TestApiServer, name: string) =>
  eventually(async () => (await read(api, name)).code === 404, { withinMs: 5_000 });

describe("the garbage collector", () => {
  it("deletes dependents of dependents once their owner is gone", async () => {
    await using api = await startTestServer();
    const owner = await create(api, "owner");
    const middle = await create(api, "middle", [owner]);
    await create(api, "leaf", [middle]);
    await remove(api, "owner");
    await isGone(api, "leaf");
    expect((await read(api, "middle")).code).toBe(404);
  });

  it("removes only the reference while another owner remains", async () => {
    await using api = await startTestServer();
    const [one, two] = [await create(api, "one"), await create(api, "two")];
    await create(api, "shared", [one, two]);
    await remove(api, "one");
    await eventually(async () => (await read(api, "shared")).body.metadata.ownerReferences.length === 1, {
      withinMs: 5_000,
    });
    const { ownerReferences, managedFields } = (await read(api, "shared")).body.metadata;
    expect(ownerReferences[0].uid).toBe(two.uid);
    const owned = managedFields.map(
      (entry: Body) => Object(entry.fieldsV1)["f:metadata"]["f:ownerReferences"],
    );
    expect(owned, "what is removed has no owner").toEqual([{ ".": {}, [`k:{"uid":"${two.uid}"}`]: {} }]);
  });

  it("takes an owner with another uid or name for absent, one of an unknown kind for present", async () => {
    await using api = await startTestServer();
    const owner = await create(api, "owner");
    await create(api, "wrong-uid", [{ name: "owner", uid: "00000000-0000-4000-8000-000000000000" }]);
    await create(api, "wrong-name", [{ ...owner, name: "other" }]);
    await create(api, "unknown-kind", [{ ...owner, apiVersion: "nope.dev/v1", kind: "Nope" }]);
    await isGone(api, "wrong-uid");
    await isGone(api, "wrong-name");
    expect((await read(api, "unknown-kind")).code).toBe(200);
  });

  it("never collects a cluster-scoped object that names an owner of a namespaced kind, also when its other owners are gone", async () => {
    await using api = await startTestServer();
    const owner = await create(api, "owner");
    const gone = { name: "gone", uid: "00000000-0000-4000-8000-000000000000" };
    const widgets = [owner, gone].map((one) => ({
      apiVersion: "test.capstan.dev/v1",
      kind: "Widget",
      ...one,
    }));
    const nodes = [{ apiVersion: "v1", kind: "Node", ...gone }];
    const references = {
      present: [widgets[0]],
      absent: [widgets[1]],
      both: [...nodes, widgets[1]],
      node: nodes,
    };
    for (const [name, ownerReferences] of Object.entries(references)) {
      await api.call("POST", "/api/v1/nodes", { body: { metadata: { name, ownerReferences } } });
    }
    await remove(api, "owner");
    // The last one is rightly gone: all have been looked at.
    await eventually(async () => (await api.call("GET", "/api/v1/nodes/node")).code === 404, {
      withinMs: 5_000,
    });
    const { body } = await api.call("GET", "/api/v1/nodes");
    expect(
      body.items.map((node: Body) => [node.metadata.name, node.metadata.ownerReferences.length]),
    ).toEqual([
      ["absent", 1],
      ["both", 2],
      ["present", 1],
    ]);
  });

  it("in the foreground deletes blocking dependents first", async () => {
    await using api = await startTestServer();
    const owner = await create(api, "owner");
    await create(api, "held", [{ ...owner, blockOwnerDeletion: true }], { finalizers: ["a.b/c"] });
    const marked = await remove(api, "owner", "Foreground");
    expect(marked.body.metadata.finalizers).toEqual(["foregroundDeletion"]);
    await eventually(async () => (await read(api, "held")).body.metadata.deletionTimestamp !== undefined, {
      withinMs: 5_000,
    });
    await holds(async () => (await read(api, "owner")).code === 200, { forMs: 50 });
    await api.call("PATCH", `${WIDGETS_PATH}/held`, {
      type: MERGE,
      body: { metadata: { finalizers: null } },
    });
    await isGone(api, "owner");
  });

  it("orphans dependents when asked to", async () => {
    await using api = await startTestServer();
    const owner = await create(api, "owner");
    await create(api, "left", [owner]);
    await remove(api, "owner", "Orphan");
    await isGone(api, "owner");
    const { code, body } = await read(api, "left");
    expect([code, body.metadata.ownerReferences]).toEqual([200, undefined]);
  });

  it("can be switched off", async () => {
    await using api = await startTestServer({ controllers: false });
    const owner = await create(api, "owner");
    await create(api, "left", [owner]);
    await remove(api, "owner");
    await holds(async () => (await read(api, "left")).code === 200, { forMs: 50 });
  });
});
