import { describe, expect, it } from "vitest";
import { childrenSchema } from "../../../../infra/console/api/object.ts";
import { siblingsOf } from "../../../../infra/operate/explain/sibling-page.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { defineFunction } from "../../../../shared/function/define-function.ts";
import { done } from "../../../../shared/function/result.ts";
import { serveTestConsole } from "../../../support/console.ts";
import { allowingIn } from "../../../support/console-queue.ts";
import { WIDGETS, Widget, widget } from "../../../support/widget.ts";

const GROW = defineFunction(
  { name: "widget-grow", summary: "Grows.", source: "own", reconciles: Widget, watches: [], owns: [] },
  async () => ({ result: done }),
);
const PATH = "/api/v1/objects/widget/default/w/children";

describe("objects behind a tree in the console", () => {
  it("come page by page, and only for those who see the namespace", async () => {
    await using store = createMemoryStore();
    const owner = { apiVersion: "test.dev/v1", kind: "Widget", name: "w", uid: "uid-w", controller: true };
    await store.put(WIDGETS, widget());
    for (const name of ["a", "b", "c"]) {
      await store.put(WIDGETS, widget({ name, uid: `uid-${name}`, ownerReferences: [owner] }));
    }
    await store.advance(WIDGETS, { ready: true, resourceVersion: "7" });
    const functions = [GROW];
    await using world = await serveTestConsole({
      functions,
      reviewer: allowingIn("default"),
      namespaces: async () => ["default", "other"],
      ports: {
        children: async (kind, key, selection) => {
          const object = await store.get(WIDGETS, key);
          return object && siblingsOf({ store, functions }, { kind, object }, selection);
        },
      },
    });
    const headers = await world.logIn();
    const ask = (path: string) => world.ask(path, { headers });
    const page = childrenSchema.parse((await ask(`${PATH}?kind=Widget&limit=2`)).body);
    const rest = childrenSchema.parse((await ask(`${PATH}?kind=Widget&limit=2&next=${page.next}`)).body);
    expect([...page.items, ...rest.items].map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(rest.next).toBeUndefined();
    expect((await ask(`${PATH}?kind=Widget&state=ready`)).body["items"]).toEqual([]);
    for (const [path, status, field] of [
      [`${PATH}?kind=Nothing`, 400, "kind"],
      [PATH, 400, "kind"],
      [`${PATH}?kind=Widget&next=foreign`, 400, "next"],
      [`${PATH}?kind=Widget&limit=1e9`, 400, "limit"],
      ["/api/v1/objects/widget/default/gone/children?kind=Widget", 404, undefined],
      ["/api/v1/objects/widget/other/w/children?kind=Widget", 403, undefined],
    ] as const) {
      const { status: answered, body } = await ask(path);
      expect([path, answered, body["field"]]).toEqual([path, status, field]);
    }
  });
});
