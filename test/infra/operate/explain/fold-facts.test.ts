import { describe, expect, it } from "vitest";
import { foldFacts } from "../../../../infra/operate/explain/fold-facts.ts";
import { type Problem, textOf } from "../../../../infra/operate/explain/problem.ts";

const CAUSE: Problem = {
  about: "definition",
  object: "Foo default/a",
  definition: "a.b/Foo",
  cause: "CRD of a.b/Foo is missing",
  next: "add it",
  severity: "broken",
  consequences: 0,
};
const MESSAGE = textOf(CAUSE);
const concern = (type: string, message: string) => ({ type, status: "False", reason: "NotReady", message });

describe("foldFacts", () => {
  it("takes out conditions that repeat a root cause, and says which", () => {
    const other = concern("Ready", "0 of 3");
    const conditions = [
      concern("InfrastructureReady", MESSAGE),
      concern("RemoteConnectionProbe", `not yet: ${MESSAGE}`),
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
    const summary = concern("Available", `* InfrastructureReady: ${MESSAGE}\n* Ready:\n  * a: 0 of 3`);
    const conditions = [summary, concern("InfrastructureReady", MESSAGE), concern("Ready", "0 of 3")];
    const { facts } = foldFacts({ object: "o", conditions }, [CAUSE]);
    expect(facts.conditions).toEqual([{ ...summary, message: "" }, conditions[2]]);
    const alone = { object: "o", conditions: [concern("Available", "* Gate: closed")] };
    expect(foldFacts(alone, [CAUSE]).facts).toEqual(alone);
  });

  it("points to the cause from an object that cannot be read because of it", () => {
    const missing = (problem: string) =>
      foldFacts({ object: "Foo a", problem, conditions: [] }, [CAUSE]).facts;
    expect(missing(MESSAGE).problem).toBe("cannot be read: see above");
    expect(missing("does not exist").problem).toBe("does not exist");
  });
});
