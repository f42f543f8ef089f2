import { expect, it } from "vitest";
import { openReachable } from "../../../../infra/cli/explain/open-reachable.ts";

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
