import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import {
  CONTRACT_KINDS,
  type ContractKindName,
} from "../../../../../shared/contract/rules/crd/contract-kinds.ts";
import { probeRulesOf } from "../../../../../shared/contract/rules/probe/checks.ts";
import { PROBE_RULES } from "../../../../../shared/contract/rules/probe/rules.ts";
import type { Life, ScaleTrial, Snapshot } from "../../../../../shared/contract/rules/probe/subject.ts";

const EMPTY: Life = {
  scaled: [],
  pauses: [],
  dryRuns: new Map(),
  wiped: undefined,
  left: undefined,
  snapshots: [],
  seen: new Map(),
};
const NAMES = Object.keys(CONTRACT_KINDS) as readonly ContractKindName[];

/** `fail IMP-29` for each rule that a life breaks; with `verdicts` also others. */
function said(
  life: Partial<Life>,
  {
    contractKind = "InfraMachinePool",
    isTemplate = false,
    verdicts = ["fail", "warn"],
  }: { contractKind?: ContractKindName; isTemplate?: boolean; verdicts?: readonly string[] } = {},
): readonly string[] {
  const role = { contractKind, isTemplate };
  const title = "FooPool p1";
  const subject = { title, role, contract: "v1beta2" as const, life: { ...EMPTY, ...life } };
  return probeRulesOf(role).flatMap(({ id, check }) =>
    check(subject).flatMap(({ verdict }) => (verdicts.includes(verdict) ? `${verdict} ${id}` : [])),
  );
}

function pool(ids: readonly string[], fields: object = {}): KubeObject {
  const metadata = {
    name: "p1",
    uid: "u1",
    labels: { "cluster.x-k8s.io/cluster-name": "c1" },
    ownerReferences: [
      {
        apiVersion: "cluster.x-k8s.io/v1beta2",
        kind: "MachinePool",
        name: "p1",
        uid: "m1",
        controller: true,
      },
    ],
  };
  const status = { ready: true, replicas: ids.length, ...fields };
  return {
    apiVersion: "a/v1",
    kind: "FooPool",
    metadata,
    spec: { providerIDList: ids },
    status,
  } as KubeObject;
}

function at(...objects: readonly KubeObject[]): Snapshot {
  return new Map(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
}

function scaled(trial: Partial<ScaleTrial>): Partial<Life> {
  const usual = {
    replicas: 1,
    settled: true,
    before: at(pool([])),
    after: at(pool(["a"])),
    nodes: undefined,
  };
  return { scaled: [{ ...usual, ...trial }] };
}

describe("rules of a probe", () => {
  it("are each applied to some object, and know nothing of a life that was not lived", () => {
    const subjects = NAMES.flatMap((contractKind) => [
      { contractKind, isTemplate: false },
      { contractKind, isTemplate: true },
    ]);
    const applied = subjects.flatMap((role) => probeRulesOf(role).map(({ id }) => id));
    expect(PROBE_RULES.map(({ id }) => id).filter((id) => !applied.includes(id))).toEqual([]);
    for (const role of subjects) {
      expect(said({}, { ...role, verdicts: ["pass", "fail", "warn", "na"] })).toEqual([]);
    }
  });

  it.each([
    ["follows", {}, []],
    ["lists too much", { after: at(pool(["a", "b"])) }, ["fail IMP-29"]],
    ["does not move", { settled: false, after: at(pool([])) }, []],
    ["moves the wrong way", { settled: false, after: at(pool(["a", "b"])) }, ["fail IMP-29"]],
    ["lists what no Node has", { nodes: new Set(["b"]) }, ["fail IMP-29"]],
    [
      "has no machines",
      { after: at(pool(["a"], { infrastructureMachineKind: "FooMachine" })) },
      ["fail IMP-21"],
    ],
  ])("judge a list that %s", (_, trial, expected) => {
    expect(said(scaled(trial))).toEqual(expected);
  });

  it.each([
    ["keeps everything", {}, []],
    ["loses its owner", { ownerReferences: [] }, ["fail IMP-30"]],
    ["loses its label", { labels: {} }, ["fail IMP-30"]],
  ])("judge a pool that %s", (_, lost, expected) => {
    const good = pool([]);
    const changed = { ...good, metadata: { ...good.metadata, ...lost } };
    const early = { ...good, metadata: { name: "p1", uid: "u1" } };
    const seen = new Map([["FooPool p1", [early, good, changed]]]);
    expect(said({ seen })).toEqual(expected);
  });

  it("judge a pool that stays, and one that vanishes by itself", () => {
    expect(said({ left: new Map([["FooPool p1", ["foo/held"]]]) })).toEqual(["fail IMP-33"]);
    expect(said({ left: new Map() })).toEqual([]);
    const seen = new Map([["FooPool p1", [pool([])]]]);
    expect(said({ seen, snapshots: [at(pool([])), at()] })).toEqual(["fail IMP-30"]);
  });

  it("judge a status that is recreated", () => {
    const before = at(pool(["a"], { dataSecretName: "one" }));
    const wiped = (is: KubeObject) => ({ wiped: { before, after: at(is) } });
    expect(said(wiped(pool(["a"], { dataSecretName: "one" })))).toEqual([]);
    expect(said(wiped(pool(["b"])))).toEqual(["fail CTL-39"]);
    expect(said(wiped(pool(["a"], { ready: false })))).toEqual(["fail CTL-39"]);
    const config = { contractKind: "BootstrapConfig" } as const;
    expect(said(wiped(pool(["a"], { dataSecretName: "two" })), config)).toEqual(["fail BC-20"]);
    const empty = { ...pool(["a"]), status: {} };
    expect(said(wiped(empty), { verdicts: ["fail", "pass"] })).toEqual([]);
  });

  it("judge templates by the answer to a dry run", () => {
    const template = { contractKind: "InfraMachine", isTemplate: true } as const;
    const life = (answer: string | null) => ({ dryRuns: new Map([["FooPool p1", answer]]) });
    expect(said(life("immutable"), template)).toEqual(["fail IM-23"]);
    expect(said(life(null), { ...template, verdicts: ["pass", "fail"] })).toEqual(["pass IM-23"]);
  });
});
