import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import {
  CONTRACT_KINDS,
  type ContractKindName,
} from "../../../../../shared/contract/rules/crd/contract-kinds.ts";
import { probeRulesOf } from "../../../../../shared/contract/rules/probe/checks.ts";
import { PROBE_RULES } from "../../../../../shared/contract/rules/probe/rules.ts";
import type {
  ClaimTrial,
  Life,
  ScaleTrial,
  TemplateTrial,
} from "../../../../../shared/contract/rules/probe/subject.ts";
import { at, core, foo, owner, said } from "../../../../support/contract/life.ts";

const NAMES = Object.keys(CONTRACT_KINDS) as readonly ContractKindName[];
const MACHINE_POOL = core("MachinePool", "p1");

function pool(ids: readonly string[], fields: object = {}): KubeObject {
  return foo("FooPool", "p1", {
    metadata: { ownerReferences: [owner(MACHINE_POOL)] },
    spec: { providerIDList: ids },
    status: { ready: true, replicas: ids.length, ...fields },
  });
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
      const decided = said({}, { ...role, verdicts: ["pass", "fail", "warn", "na"] });
      expect(decided).toEqual(role.contractKind === "ControlPlane" && !role.isTemplate ? ["na CP-40"] : []);
    }
  });

  it.each<[string, Partial<ScaleTrial>, readonly string[]]>([
    ["follows", {}, []],
    ["lists too much", { after: at(pool(["a", "b"])) }, ["fail IMP-29"]],
    ["lists one twice", { replicas: 2, after: at(pool(["a", "a"])) }, ["fail IMP-29"]],
    ["does not move", { settled: false, after: at(pool([])) }, []],
    ["moves the wrong way", { settled: false, after: at(pool(["a", "b"])) }, ["fail IMP-29"]],
    ["lists what no Node has", { nodes: new Map([["b", "n1"]]) }, ["fail IMP-29"]],
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

  it("judge a pool that stays, one that outlives its owner, and one that vanishes beside it", () => {
    expect(said({ left: new Map([["FooPool p1", ["foo/held"]]]) })).toEqual(["fail IMP-33"]);
    const left = new Map();
    expect(said({ left })).toEqual([]);
    expect(said({ left, outlived: new Map([["FooPool p1", "MachinePool p1"]]) })).toEqual(["fail IMP-33"]);
    const seen = new Map([["FooPool p1", [pool([])]]]);
    const there = at(MACHINE_POOL, pool([]));
    expect(said({ seen, snapshots: [there, at(MACHINE_POOL)] })).toEqual(["fail IMP-30"]);
    expect(said({ seen, snapshots: [there, at()] })).toEqual([]);
  });
});

const ALL = ["pass", "fail", "warn", "unknown"];

describe("claims of addresses in the life of a Cluster", () => {
  it.each<[string, Partial<ClaimTrial>, string]>([
    ["rests and serves a claim later", {}, "pass IP-16"],
    ["writes for a paused Cluster", { paused: ["status.addressRef"] }, "fail IP-16"],
    ["writes for a missing Cluster", { missing: ["metadata.finalizers"] }, "fail IP-16"],
    ["never serves a claim", { isServed: false }, "unknown IP-16"],
  ])("IP-16: judge a provider that %s", (_, trial, expected) => {
    const usual = { paused: [], missing: [], isServed: true };
    const life = { claims: new Map([["FooPool p1", { ...usual, ...trial }]]) };
    expect(said(life, { contractKind: "IPAMPool", verdicts: ALL })).toEqual([expected]);
  });
});

function judged(trial: Partial<TemplateTrial>, contractKind: "InfraMachine" | "BootstrapConfig") {
  const usual = { path: "spec.template.spec.size", dryRun: undefined, withoutAnnotation: undefined };
  const templates = new Map([["FooTemplate t1", { ...usual, isOpen: false, ...trial }]]);
  const how = { title: "FooTemplate t1", contractKind, isTemplate: true };
  return said({ templates }, { ...how, verdicts: ["pass", "fail", "warn"] });
}

describe("a template", () => {
  it.each<[string, Partial<TemplateTrial>, string, string]>([
    ["accepts every change", {}, "pass", "pass"],
    ["is immutable but for the topology", { withoutAnnotation: "immutable" }, "pass", "pass"],
    ["is immutable", { dryRun: "immutable", withoutAnnotation: "immutable" }, "fail", "warn"],
    ["looks at the annotation only", { withoutAnnotation: "immutable", isOpen: true }, "warn", "warn"],
  ])("may be one that %s", (_, trial, must, should) => {
    expect(judged(trial, "InfraMachine")).toEqual([`${must} IM-23`]);
    expect(judged(trial, "BootstrapConfig")).toEqual([`${should} BC-22`]);
  });
});

describe("an InfraCluster that another system manages", () => {
  it.each([
    ["is left alone", [], "pass"],
    ["is written to", ["status"], "warn"],
  ])("%s", (_, written, verdict) => {
    const how = { title: "FooCluster c1", contractKind: "InfraCluster", verdicts: ["pass", "warn"] } as const;
    expect(said({ managed: { written } }, how)).toEqual([`${verdict} IC-20`]);
  });
});
