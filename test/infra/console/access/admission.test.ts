import { describe, expect, it } from "vitest";
import { createSessions } from "../../../../infra/console/access/admission.ts";
import { systemRandom } from "../../../../infra/platform/random.ts";
import { virtualClock } from "../../../support/clock.ts";

describe("sessions", () => {
  it("are at most 1,000: a new one ends the one that was not used for the longest time", () => {
    const sessions = createSessions(systemRandom, virtualClock());
    const [first, second] = [sessions.open({ by: "code" }), sessions.open({ by: "code" })];
    expect(sessions.find(first.key)).toBeDefined();
    for (let count = 0; count < 999; count += 1) sessions.open({ by: "code" });
    expect(sessions.find(second.key)).toBeUndefined();
    expect(sessions.find(first.key)).toBeDefined();
  });
});
