import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { askProcess, openReachable } from "../../../../infra/cli/explain/open-history.ts";

it("says first that Redis does not answer, and leaves the letters of a file out", async () => {
  const { source, away } = await openReachable({ queue: "redis://127.0.0.1:1" });
  await using opened = source;
  expect(opened.queue).toBeUndefined();
  expect(await opened.deadLetters.page({ limit: 1 })).toMatchObject({ items: [] });
  expect(away).toEqual([
    expect.objectContaining({
      object: "queue",
      cause: expect.stringMatching(/^queue unreachable: cannot use Redis at redis:\/\/127\.0\.0\.1:1: /),
      next: "start it",
    }),
  ]);
});

it("has nothing to say where the queue is in memory", async () => {
  const { source, away } = await openReachable({ queue: "memory", deadLetters: "/dev/null" });
  await source[Symbol.asyncDispose]();
  expect(away).toEqual([]);
});

it("a process with its queue in memory is asked once for each key, ten keys at a time", async () => {
  let [open, most, requests] = [0, 0, 0];
  const server = createServer(async (_request, response) => {
    requests += 1;
    open += 1;
    most = Math.max(most, open);
    await setTimeout(5);
    open -= 1;
    response.end(JSON.stringify({ "machine-status": { state: { state: "running" } } }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  await using _server = server;
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const history = askProcess({ host: "127.0.0.1", port });
  const keys = Array.from({ length: 60 }, (_, at) => `default/m${at}` as Parameters<typeof history>[1]);
  const states = await Promise.all(
    keys.flatMap((key) => [history("machine-status", key), history("machine-sync", key)]),
  );
  expect(states.filter(({ state }) => state?.state === "running")).toHaveLength(60);
  expect(requests).toBe(60);
  expect(most).toBeLessThanOrEqual(10);
  server.closeAllConnections();
});
