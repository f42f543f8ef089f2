import { expect, it } from "vitest";
import { allowingIn, GROW, serveQueueConsole } from "../../../support/console-queue.ts";

/** Keys of that many Clusters in a namespace, each with so many. */
function keysIn(namespace: string, clusters: number, each: number): readonly string[] {
  return Array.from({ length: clusters * each }, (_, n) => {
    return `${namespace}/c${n % clusters}|Widget|${namespace}/w${n}`;
  });
}

it("the sums of a person have every Cluster of that person's namespaces, also beyond the 200 deepest", async () => {
  const ready = [...keysIn("a", 230, 1), ...keysIn("b", 210, 2)];
  await using world = await serveQueueConsole({ dead: [], ready, reviewer: allowingIn("a") });
  const queue = await world.get("/queue");
  expect(queue.body).toMatchObject({ all: false, items: [{ function: GROW, ready: 230, dead: 0 }] });
  const { body, text } = await world.get(`/queue/${GROW}/tenants`);
  expect(body["items"]).toHaveLength(200);
  expect(text).not.toContain("b/c");
});
