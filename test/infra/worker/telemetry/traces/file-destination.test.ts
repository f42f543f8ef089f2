import { mkdtemp, readFile, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileDestination } from "../../../../../infra/worker/telemetry/traces/file-destination.ts";

describe("a file of spans", () => {
  it("gets a line for each request, is private, and does not grow beyond 256 MiB", async () => {
    const dir = await mkdtemp(join(tmpdir(), "capstan-spans-"));
    const file = join(dir, "spans.jsonl");
    const destination = fileDestination(file);
    expect([await destination.send("{}"), await destination.send("[]")]).toEqual(["sent", "sent"]);
    expect(await readFile(file, "utf8")).toBe("{}\n[]\n");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await truncate(file, 256 * 1024 * 1024);
    expect(await destination.send("{}")).toBe("refused");
    await rm(dir, { recursive: true });
  });
});
