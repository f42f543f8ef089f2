import { describe, expect, it } from "vitest";
import { textOfFolded } from "../../../../infra/cli/explain/explain-text.ts";
import type { Explained, ExplainedFunction } from "../../../../infra/operate/explain/explain-tree.ts";
import { foldCauses, foldFacts } from "../../../../infra/operate/explain/fold-causes.ts";
import { isAwaited, type Problem, textOf } from "../../../../infra/operate/explain/problem.ts";

const NOW = new Date("2026-01-01T12:00:00Z");
function problem(about: Problem["about"], more: Partial<Problem> = {}): Problem {
  const said = { object: "Cluster default/c1", cause: "", next: "", severity: "broken" } as const;
  return { about, ...said, consequences: 0, ...more };
}
const AWAY = problem("connection", { cause: "default/c1 refuses the connection", next: "check the server" });

function fn(
  name: string,
  now: Partial<ExplainedFunction["now"]>,
  more: Partial<ExplainedFunction> = {},
): ExplainedFunction {
  return { function: name, key: `key of ${name}`, now: { wouldSend: [], ...now }, ...more };
}
const waiting = (what: string) => ({ waitsFor: { what, object: what } });
const CONNECTED = waiting("Connection.status.nodesComplete");

function pool(name: string, functions: readonly ExplainedFunction[]): Explained {
  const conditions = [
    {
      type: "Available",
      status: "False",
      reason: "NotAvailable",
      message: `0 of 3; ${AWAY.cause}; ${AWAY.next}`,
    },
  ];
  return { object: `MachinePool default/${name}`, conditions, functions, children: [], more: [] };
}

function explained(...children: readonly Explained[]): Explained {
  const functions = [fn("cluster-guard", {}), fn("cluster-status", CONNECTED)];
  return { object: "Cluster default/c1", conditions: [], functions, children, more: [] };
}

describe("foldCauses", () => {
  it("names a cause once, with what it holds up, and counts functions that have nothing to do", () => {
    const one = pool("p1", [fn("machinepool-nodes", CONNECTED), fn("machinepool-retire", CONNECTED)]);
    const { causes, idle, explained: folded } = foldCauses(explained(one), [AWAY]);
    expect(causes).toEqual([
      {
        ...AWAY,
        holdsUp: [
          "Cluster default/c1: cluster-status",
          "MachinePool default/p1: Available, machinepool-nodes, machinepool-retire",
        ],
      },
    ]);
    expect(idle).toBe(1);
    expect(JSON.stringify(folded)).not.toMatch(/cluster-guard|machinepool-|refuses/);
  });

  it("folds functions whose snapshots are old, and calls none of them idle", () => {
    const silent = problem("freshness", { cause: "relay away since …", next: "start a relay" });
    const old = textOf(silent);
    const one = { ...pool("p1", [fn("a", { old })]), phase: "Running", old };
    const folded = foldCauses(one, [silent]);
    expect(folded).toMatchObject({ idle: 0, causes: [{ holdsUp: ["MachinePool default/p1: a"] }] });
    const text = textOfFolded(folded, NOW).join("\n");
    expect(text).toMatch(/^MachinePool default\/p1 {2}old: {2}Running\n *! relay away since/);
    expect(text).not.toContain("nothing to do");
  });

  it("folds functions that wait for a list which the server refuses", () => {
    const refused = problem("list", { cause: 'User "r" cannot list' });
    const why = 'the list of Foo on management is not complete: User "r" cannot list';
    const one = pool("p1", [fn("waits", { notListed: true, why }), fn("other", { notListed: true })]);
    const { explained: folded, causes } = foldCauses(one, [refused]);
    expect(folded.functions.map((each) => each.function)).toEqual(["other"]);
    expect(causes).toMatchObject([{ ...refused, holdsUp: [expect.stringContaining("waits")] }]);
  });

  it("keeps functions with a failure or a run of their own", () => {
    const failure = { class: "Transient", reason: "NoAnswer", message: "no answer" } as const;
    const queued = { state: { state: "ready", causes: [], failures: 0 } } as const;
    const kept = [
      fn("would-send", { ...CONNECTED, wouldSend: ["patch Node n1"] }),
      fn("would-fail", { failure }),
      fn("again", { againAfterMs: 5, why: "a clock" }),
      fn("other", waiting("Cluster.spec.paused")),
      fn("not-listed", { notListed: true }),
      fn("queued", {}, { history: queued as unknown as NonNullable<ExplainedFunction["history"]> }),
      fn("dead", CONNECTED, { deadLetter: {} as NonNullable<ExplainedFunction["deadLetter"]> }),
    ];
    const { explained: folded } = foldCauses(explained(pool("p1", kept)), [AWAY]);
    expect(folded.children[0]?.functions).toEqual(kept);
  });

  it("is a text with the cause in front, at most five objects, and the way to see the rest", () => {
    const pools = Array.from({ length: 6 }, (_, n) => pool(`p${n}`, []));
    const lines = textOfFolded(foldCauses(explained(...pools), [AWAY]), NOW);
    expect(lines.slice(0, 4)).toEqual([
      "Cluster default/c1",
      "│ ! default/c1 refuses the connection",
      "│   → check the server",
      "│   holds up Cluster default/c1: cluster-status",
    ]);
    expect(lines.join("\n").match(/refuses/g)).toHaveLength(1);
    expect(lines).toContain("│   holds up 2 more objects");
    expect(lines.at(-1)).toBe("1 function has nothing to do; --all shows each");
  });

  it("says nothing of hidden functions when there are none", () => {
    const quiet: Explained = { ...explained(), functions: [] };
    expect(textOfFolded(foldCauses(quiet, []), NOW)).toEqual(["Cluster default/c1"]);
  });
});

describe("isAwaited", () => {
  const definition = problem("definition", { definition: "a.b/Foo" });
  const lost = problem("missing", { object: "FooConfig default/lost" });
  it.each([
    [problem("connection"), "Connection.status.nodesComplete", undefined, true],
    [problem("connection"), "Connection default/c1", undefined, true],
    [problem("connection"), "Node.metadata.uid of n1", undefined, false],
    [definition, "CustomResourceDefinition.metadata.uid of a.b/Foo", undefined, true],
    [definition, "CustomResourceDefinition.metadata.uid of a.b/FooBar", undefined, false],
    [problem("topology"), "Cluster.spec.infrastructureRef", undefined, true],
    [problem("topology"), "Cluster.spec.paused", undefined, false],
    [problem("paused"), "Cluster.spec.paused", undefined, true],
    [problem("paused"), "Machine.metadata.annotations[cluster.x-k8s.io/paused]", undefined, true],
    [lost, "BootstrapConfig.metadata.uid", "FooConfig default/lost", true],
    [lost, "BootstrapConfig.metadata.uid", "FooConfig default/other", false],
  ] as const)("%j and %s: %s", (cause, what, object, awaited) => {
    expect(isAwaited(cause, what, object)).toBe(awaited);
  });
});

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
