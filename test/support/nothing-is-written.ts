import { expect } from "vitest";
import { eventually, holds } from "./eventually.ts";
import type { TestServer } from "./processes/api-servers.ts";

const WRITES = new Set(["create", "update", "patch", "delete", "deletecollection"]);

function isCapstanWrite({ verb, userAgent }: { verb: string; userAgent: string }): boolean {
  return WRITES.has(verb) && userAgent.startsWith("capstan/");
}

/** At rest: no write request of Capstan for five seconds once the last one has been answered. */
export async function nothingIsWritten(server: Pick<TestServer, "requests">): Promise<void> {
  const writes = async (): Promise<readonly object[]> => (await server.requests()).filter(isCapstanWrite);
  let before: readonly object[] | undefined;
  await eventually(
    async () => {
      const now = await writes();
      const settled = now.length === before?.length;
      before = now;
      expect(settled).toBe(true);
    },
    // A status that is held back comes within five seconds.
    { withinMs: 30_000, stepMs: 6_000 },
  );
  const settled = before?.length ?? 0;
  // Compared as a list, so that a failure names the write.
  await holds(async () => expect((await writes()).slice(settled)).toEqual([]), { forMs: 5_000, stepMs: 500 });
}
