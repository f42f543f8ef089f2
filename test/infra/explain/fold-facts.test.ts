import { describe, expect, it } from "vitest";
import { foldFacts } from "../../../infra/explain/fold-facts.ts";
import type { RootCause } from "../../../infra/explain/root-causes.ts";

const CAUSE: RootCause = {
  about: "definition",
  definition: "a.b/Foo",
  message: "CRD of a.b/Foo is missing; add it",
};
const concern = (type: string, message: string) => ({ type, status: "False", reason: "NotReady", message });

describe("foldFacts", () => {
  it("takes out conditions that repeat a root cause, and says which", () => {
    const other = concern("Ready", "0 of 3");
    const conditions = [
      concern("InfrastructureReady", CAUSE.message),
      concern("RemoteConnectionProbe", `not yet: ${CAUSE.message}`),
      other,
    ];
    const { facts, folded } = foldFacts({ object: "Cluster default/c1", conditions }, [CAUSE]);
    expect(facts).toEqual({ object: "Cluster default/c1", conditions: [other] });
    expect(folded).toEqual([
      { type: "InfrastructureReady", cause: CAUSE },
      { type: "RemoteConnectionProbe", cause: CAUSE },
    ]);
  });

  it("keeps of a summary only its status", () => {
    const summary = concern("Available", `* InfrastructureReady: ${CAUSE.message}\n* Ready:\n  * a: 0 of 3`);
    const conditions = [summary, concern("InfrastructureReady", CAUSE.message), concern("Ready", "0 of 3")];
    const { facts } = foldFacts({ object: "o", conditions }, [CAUSE]);
    expect(facts.conditions).toEqual([{ ...summary, message: "" }, conditions[2]]);
    const alone = { object: "o", conditions: [concern("Available", "* Gate: closed")] };
    expect(foldFacts(alone, [CAUSE]).facts).toEqual(alone);
  });

  it("points to the cause from an object that cannot be read because of it", () => {
    const missing = (problem: string) =>
      foldFacts({ object: "Foo a", problem, conditions: [] }, [CAUSE]).facts;
    expect(missing(CAUSE.message).problem).toBe("cannot be read: see above");
    expect(missing("does not exist").problem).toBe("does not exist");
  });
});
