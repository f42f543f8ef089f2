import { expect, it } from "vitest";
import { EMBEDDED, REAL } from "../../support/processes/api-servers.ts";
import { redisMissing } from "../../support/processes/redis-server.ts";
import { describeWith } from "../../support/requires.ts";
import { LIMIT_MS, play, playUndisturbed } from "./play.ts";
import { SCENARIOS } from "./scenarios.ts";

/** Of one workload, so that one undisturbed run is enough; `npm run simulate -- real` plays all. */
const PLAYED = SCENARIOS.filter(({ workload, title }) => workload === "W-04" && !title.includes("both"));

it("there are twenty scenarios", () => {
  expect(new Set(SCENARIOS.map(({ title }) => title)).size).toBe(20);
});

const server = REAL.missing === undefined ? REAL : EMBEDDED;

describeWith(redisMissing())(`real processes on ${server.name}`, () => {
  it("end as they would have without it, whatever is killed while a pool is deleted", {
    timeout: (PLAYED.length + 1) * LIMIT_MS,
  }, async () => {
    const expected = await playUndisturbed("W-04", server);
    for (const scenario of PLAYED)
      expect((await play(scenario, server, expected)).violations, scenario.title).toEqual([]);
  });
});
