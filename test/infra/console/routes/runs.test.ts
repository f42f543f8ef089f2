import { describe, expect, it } from "vitest";
import { runsSchema } from "../../../../infra/console/api/runs.ts";
import { createRunsSource } from "../../../../infra/console/sources/read-ports.ts";
import { createMemoryRunHistory } from "../../../../infra/queue/backends/embedded/history.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import type { RunEntry } from "../../../../shared/runtime/letters/run-history.ts";
import { virtualClock } from "../../../support/clock.ts";
import { serveTestConsole } from "../../../support/console.ts";
import { allowingIn, WIDGET_GROW } from "../../../support/console-queue.ts";
import { WIDGET_KEY, WIDGETS, widget } from "../../../support/widget.ts";

function run(runId: string, minute: string, fields: Partial<RunEntry> = {}): RunEntry {
  const endedAt = `2026-01-01T12:${minute}:00.000Z`;
  return { runId, endedAt, durationMs: 3, causes: [], outcome: "ok", writes: [], ...fields };
}

describe("runs in the console", () => {
  it("are shown with those that caused them, in pages, to those who see their namespace", async () => {
    const clock = virtualClock();
    await using store = createMemoryStore();
    await store.put(WIDGETS, [widget()]);
    await store.advance(WIDGETS, { ready: true, resourceVersion: "7" });
    await using history = createMemoryRunHistory({ clock, maxBytes: 1_000_000 });
    const writes = [
      { verb: "patch", cluster: "management", what: "Widget default/w", resourceVersion: "9", changes: [] },
    ] as const;
    const causes = [{ what: "Widget default/w", resourceVersion: "9" }];
    history.note("widget-grow", WIDGET_KEY, run("r1", "00", { writes }));
    history.note("widget-grow", WIDGET_KEY, run("r2", "01", { causes }));
    const functions = [WIDGET_GROW];
    const runs = createRunsSource({ store, functions, runs: history });
    const namespaces = async () => ["default", "other"];
    const serve = (...seen: readonly string[]) =>
      serveTestConsole({ clock, functions, ports: { runs }, reviewer: allowingIn(...seen), namespaces });
    await using world = await serve("default");
    const ask = (path: string) => world.get(`/objects/widget/${path}`);

    const { items, next } = runsSchema.parse((await ask("default/w/runs?limit=1")).body);
    expect(items).toMatchObject([{ runId: "r2", causedBy: [{ function: "widget-grow", runId: "r1" }] }]);
    const second = runsSchema.parse((await ask(`default/w/runs?limit=1&next=${next}`)).body);
    expect(second).toMatchObject({ items: [{ runId: "r1", caused: [{ runId: "r2" }] }] });
    expect(second.next).toBeUndefined();
    const wrote = runsSchema.parse((await ask("default/w/runs?only=wrote")).body);
    expect(wrote.items.map(({ runId }) => runId)).toEqual(["r1"]);

    expect(await ask("default/w/runs?next=foreign")).toMatchObject({ status: 400 });
    expect(await ask("default/w/runs?limit=1e9")).toMatchObject({ status: 400 });
    expect(await ask("default/gone/runs")).toMatchObject({ status: 404 });
    expect(await ask("other/w/runs")).toMatchObject({ status: 403 });
  });
});
