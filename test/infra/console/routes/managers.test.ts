import { describe, expect, it } from "vitest";
import { managersSchema } from "../../../../infra/console/api/object.ts";
import { createManagers } from "../../../../infra/console/sources/managers-source.ts";
import type { Server } from "../../../../infra/kube/client.ts";
import { createMemoryStore } from "../../../../infra/store/memory.ts";
import { defineFunction } from "../../../../shared/function/define-function.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { done } from "../../../../shared/function/result.ts";
import { serveTestConsole } from "../../../support/console.ts";
import { allowingIn } from "../../../support/console-queue.ts";
import { WIDGETS, Widget, widget } from "../../../support/widget.ts";

const GROW = defineFunction(
  { name: "widget-grow", summary: "Grows.", source: "own", reconciles: Widget, watches: [], owns: [] },
  async () => ({ result: done }),
);
const MANAGED = {
  manager: "kubectl",
  operation: "Apply",
  time: "2026-01-01T00:00:00Z",
  fieldsV1: { "f:spec": { "f:colour": {} } },
};
const KEY = { namespace: "default", name: "w" };

async function managersOf(get: () => Promise<unknown>) {
  const store = createMemoryStore();
  await store.put(WIDGETS, widget());
  const asked: (string | undefined)[] = [];
  const connect = (token: string | undefined) => {
    asked.push(token);
    return { as: () => ({ get }), [Symbol.dispose]: () => undefined } as unknown as Server;
  };
  return { asked, read: createManagers({ store, connect }) };
}

async function answerWith(get: () => Promise<unknown>, path: string) {
  const { asked, read } = await managersOf(get);
  await using world = await serveTestConsole({
    functions: [GROW],
    reviewer: allowingIn("default"),
    namespaces: async () => ["default", "other"],
    ports: { managers: read },
  });
  const answer = await world.ask(`/api/v1/objects/widget/${path}/managers`, { headers: await world.logIn() });
  return { ...answer, asked };
}

describe("field managers in the console", () => {
  it("W-104: are read live, once when a person asks, with that person's own token", async () => {
    const live = { ...widget(), metadata: { ...widget().metadata, managedFields: [MANAGED] } };
    const { asked, read } = await managersOf(async () => live);
    const rows = [{ field: "spec.colour", manager: "kubectl", operation: "Apply", time: MANAGED.time }];
    expect(await read(Widget, KEY, "token-of-ann")).toEqual(rows);
    expect(asked).toEqual(["token-of-ann"]);
    expect(await read(Widget, { namespace: "..", name: ".." }, "token-of-ann")).toBeUndefined();
    expect(asked.length).toBe(1);
    const { body } = await answerWith(async () => live, "default/w");
    expect(managersSchema.parse(body)).toMatchObject({ items: rows, more: 0 });
  });

  it("W-104, W-505: are refused as the API server refuses them, with the next step", async () => {
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
