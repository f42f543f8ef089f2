import { describe, expect, it } from "vitest";
import { searchSchema } from "../../../../infra/console/api/search.ts";
import { serveTestConsole } from "../../../support/console.ts";
import { allowingIn } from "../../../support/console-queue.ts";

describe("the search of the console", () => {
  it("looks among what the person sees", async () => {
    const asked: unknown[] = [];
    const place = { type: "cluster", namespace: "a", name: "c1" } as const;
    await using world = await serveTestConsole({
      reviewer: allowingIn("a"),
      namespaces: async () => ["a", "b"],
      ports: {
        search: async (wanted) => {
          asked.push(wanted);
          return [{ place, title: "Cluster a/c1" }];
        },
      },
    });
    const headers = await world.logIn();
    const found = await world.ask("/api/v1/search?q=c1", { headers });
    expect(searchSchema.parse(found.body).items).toEqual([{ place, title: "Cluster a/c1" }]);
    expect(asked).toEqual([{ q: "c1", sight: new Set(["a"]) }]);
    for (const query of ["", "?q=", `?q=${"x".repeat(10_000)}`, "?q=a&q=b"]) {
      const { status, body } = await world.ask(`/api/v1/search${query}`, { headers });
      expect([query.slice(0, 20), status, body["field"]]).toEqual([query.slice(0, 20), 400, "q"]);
    }
  });
});
