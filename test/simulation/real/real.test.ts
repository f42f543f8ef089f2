import { expect, it } from "vitest";
import { redisMissing } from "../../../infra/bench/redis-server.ts";
import { API_SERVERS } from "../../support/api-servers.ts";
import { describeWith } from "../../support/requires.ts";
import { play, playUndisturbed } from "./play.ts";
import { SCENARIOS } from "./scenarios.ts";

/** Of one workload, so that one undisturbed run is enough; `npm run simulate -- real` plays all. */
const PLAYED = SCENARIOS.filter(({ workload, title }) => workload === "W-04" && !title.includes("both"));

it("there are the twenty scenarios of 6.8", () => {
  expect(new Set(SCENARIOS.map(({ title }) => title)).size).toBe(20);
});

for (const server of API_SERVERS) {
  const { name, missing, optional } = server;
  describeWith(redisMissing() ?? missing, { optional })(`real processes on ${name}`, () => {
    it("end as they would have without it, whatever is killed while a pool is deleted", async () => {
      const expected = await playUndisturbed("W-04", server);
      const played = await Promise.all(PLAYED.map((scenario) => play(scenario, server, expected)));
      expect(played.map(({ violations }) => violations)).toEqual(PLAYED.map(() => []));
    });
  });
}
