import { describe, expect, it } from "vitest";
import { liveSchema } from "../../../../infra/console/api/object.ts";
import { createLive } from "../../../../infra/console/sources/live-source.ts";
import type { Server } from "../../../../infra/platform/kube/client.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { serveTestConsole } from "../../../support/console.ts";
import { allowingIn, WIDGET_GROW } from "../../../support/console-queue.ts";
import { WIDGETS, Widget, widget } from "../../../support/widget.ts";

const MANAGED = {
  manager: "kubectl",
  operation: "Apply",
  time: "2026-01-01T00:00:00Z",
  fieldsV1: { "f:spec": { "f:colour": {} } },
};
const KEY = { namespace: "default", name: "w" };

const EVENT = {
  ...{ apiVersion: "v1", kind: "Event", metadata: { name: "e", namespace: "default" } },
  ...{ type: "Warning", reason: "Faded", message: "the colour faded", count: 3 },
  ...{ reportingComponent: "painter", lastTimestamp: "2026-01-01T00:00:01Z" },
};

async function liveOf(get: () => Promise<unknown>, list = async (): Promise<object> => ({ items: [EVENT] })) {
  const store = createMemoryStore();
  await store.put(WIDGETS, [widget()]);
  const asked: (string | undefined)[] = [];
  const connect = (token: string | undefined) => {
    asked.push(token);
    return { as: () => ({ get, list }), [Symbol.dispose]: () => undefined } as unknown as Server;
  };
  return { asked, read: createLive({ store, connect }) };
}

async function answerWith(get: () => Promise<unknown>, path: string) {
  const { asked, read } = await liveOf(get);
  await using world = await serveTestConsole({
    functions: [WIDGET_GROW],
    reviewer: allowingIn("default"),
    namespaces: async () => ["default", "other"],
    ports: { live: read },
  });
  const answer = await world.get(`/objects/widget/${path}/live`);
  return { ...answer, asked };
}

describe("an object as the API server has it, in the console", () => {
  it("are read live, once when a person asks, with that person's own token", async () => {
    const live = { ...widget(), metadata: { ...widget().metadata, managedFields: [MANAGED] } };
    const { asked, read } = await liveOf(async () => live);
    const rows = [{ field: "spec.colour", manager: "kubectl", operation: "Apply", time: MANAGED.time }];
    expect((await read(Widget, KEY, "token-of-ann"))?.managers).toEqual(rows);
    expect(asked).toEqual(["token-of-ann"]);
    expect(await read(Widget, { namespace: "..", name: ".." }, "token-of-ann")).toBeUndefined();
    expect(asked.length).toBe(1);
    const { body } = await answerWith(async () => live, "default/w");
    expect(liveSchema.parse(body)).toMatchObject({
      ...{ managers: rows, more: 0 },
      events: [{ type: "Warning", reason: "Faded", times: 3, from: "painter", at: "2026-01-01T00:00:01Z" }],
    });
    expect(body["manifest"]).not.toContain("managedFields");
  });

  it("an object is shown without the right to list its Events, and the page says so", async () => {
    const { read } = await liveOf(
      async () => widget(),
      async () => {
        throw new Error("events is forbidden");
      },
    );
    expect(await read(Widget, KEY, "token-of-ann")).toMatchObject({
      events: [],
      eventsMissing: "events is forbidden",
    });
  });

  it("the manifest has no secret", async () => {
    const token = "canary-5d3f";
    const { body } = await answerWith(async () => ({ ...widget(), spec: { password: token } }), "default/w");
    expect(JSON.stringify(body)).not.toContain(token);
  });

  it("are refused as the API server refuses them, with the next step", async () => {
    const refusing = (status: number) => async () => {
      throw new KubeError({ class: "Terminal", status, reason: "Forbidden", message: "refused" });
    };
    expect(await answerWith(refusing(403), "default/w")).toMatchObject({
      status: 403,
      body: { next: "bind a role with the verb get on widgets.test.dev in that namespace" },
    });
    expect(await answerWith(refusing(401), "default/w")).toMatchObject({ status: 401 });
    expect(await answerWith(refusing(500), "default/w")).toMatchObject({ status: 503 });
    expect(await answerWith(async () => undefined, "default/w")).toMatchObject({ status: 404 });
    for (const [path, status] of [
      ["default/gone", 404],
      ["other/w", 403],
    ] as const) {
      const { asked, ...answer } = await answerWith(async () => undefined, path);
      expect([path, answer.status, asked]).toEqual([path, status, []]);
    }
  });
});
