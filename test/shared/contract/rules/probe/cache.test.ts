import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import type { Life, WorkloadNodes } from "../../../../../shared/contract/rules/probe/subject.ts";
import { at, foo, owner, said } from "../../../../support/contract/life.ts";

const POOL = foo("FooPool", "p1", {
  spec: { providerIDList: ["a"] },
  status: { ready: true, replicas: 1, dataSecretName: "one" },
});

function pool(status: object, ids = ["a"]): KubeObject {
  return { ...POOL, ...{ spec: { providerIDList: ids }, status } };
}

function wiped(
  is: KubeObject,
  nodes: readonly [WorkloadNodes, WorkloadNodes] = [undefined, undefined],
): Partial<Life> {
  return { wiped: { before: at(POOL), after: at(is), nodesBefore: nodes[0], nodesAfter: nodes[1] } };
}

const WAS = { ready: true, replicas: 1, dataSecretName: "one" };

describe("a status that was emptied", () => {
  it.each<[string, KubeObject, readonly string[]]>([
    ["is recreated", pool(WAS), []],
    ["has conditions of another time", pool({ ...WAS, conditions: [] }), []],
    ["comes with another provider ID", pool(WAS, ["b"]), ["fail CTL-39"]],
    ["is not ready", pool({ ...WAS, ready: false }), ["fail CTL-39"]],
    ["has lost a counter", pool({ ready: true }), ["fail CTL-39"]],
    ["is of another object", foo("FooPool", "p2", {}), ["fail CTL-39"]],
  ])("may be one that %s", (_, is, expected) => {
    expect(said(wiped(is))).toEqual(expected);
  });

  it("is not judged where it never came back", () => {
    expect(said(wiped(pool({})), { verdicts: ["fail", "pass"] })).toEqual([]);
  });

  it("gives the same name to the Secret of bootstrap data", () => {
    const config = { contractKind: "BootstrapConfig" } as const;
    expect(said(wiped(pool({ ...WAS, dataSecretName: "two" })), config)).toEqual(["fail BC-20"]);
    expect(said(wiped(pool(WAS)), { ...config, verdicts: ["pass"] })).toEqual(["pass BC-20", "pass CTL-39"]);
  });

  it.each<[string, WorkloadNodes, readonly string[]]>([
    [
      "the same",
      new Map([
        ["a", "n1"],
        ["b", "n3"],
      ]),
      [],
    ],
    ["another one", new Map([["a", "n2"]]), ["fail CTL-39"]],
    ["gone", new Map(), ["fail CTL-39"]],
    ["not known", undefined, []],
  ])("keeps its Node, which is %s", (_, after, expected) => {
    expect(said(wiped(pool(WAS), [new Map([["a", "n1"]]), after]))).toEqual(expected);
  });

  it("makes nothing below it again", () => {
    const below = (uid: string) =>
      foo("FooMachine", "m1", { metadata: { uid, ownerReferences: [owner(POOL)] } });
    const trial = (uid: string) => ({
      wiped: {
        before: at(POOL, below("u1")),
        after: at(POOL, below(uid)),
        nodesBefore: undefined,
        nodesAfter: undefined,
      },
    });
    expect([said(trial("u1")), said(trial("u2"))]).toEqual([[], ["fail CTL-39"]]);
  });
});
