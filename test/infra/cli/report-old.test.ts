import { afterEach, expect, it, vi } from "vitest";
import { openSource } from "../../../infra/cli/letter-source.ts";
import { openReports } from "../../../infra/cli/report-old.ts";
import { redisMissing, startRedis } from "../../support/processes/redis-server.ts";
import { describeWith } from "../../support/requires.ts";

afterEach(() => vi.restoreAllMocks());

describeWith(redisMissing())("reports of what no longer brings changes", () => {
  it("say why they are not known, and know it once their queue can be opened", async () => {
    await using redis = await startRedis();
    await using source = await openSource({}, { url: redis.url });
    const { backend } = source;
    const store = vi.fn(backend.store).mockRejectedValueOnce(new Error("Redis is away"));
    await using reports = openReports({ ...source, backend: { ...backend, store } }, []);
    const printed = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    for (let look = 0; look < 3; look += 1) await reports.report();
    expect(printed.mock.calls.map(([text]) => String(text).trim())).toEqual([
      expect.stringContaining("whether relay and workers run is not known: Redis is away"),
      expect.stringMatching(/no relay/),
    ]);
    expect(store).toHaveBeenCalledTimes(2);
  });
});
