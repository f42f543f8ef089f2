import { describe, expect, it } from "vitest";
import { loadFunctions } from "../../infra/worker/load.ts";
import { segmentsOf } from "../../shared/api/path.ts";
import { type AnyFunction, isContractKind } from "../../shared/function/define-function.ts";

/** Functions that write one field in turns: never both in the same state of the object. */
const TURNS: readonly {
  readonly between: readonly [string, string];
  readonly field: string;
  readonly why: string;
}[] = [
  {
    between: ["cluster-delete", "cluster-guard"],
    field: "Cluster metadata.finalizers",
    why: "guard adds its finalizer before the deletion, delete removes it at the end of it",
  },
  {
    between: ["machinepool-delete", "machinepool-guard"],
    field: "MachinePool metadata.finalizers",
    why: "guard adds its finalizer before the deletion, delete removes it at the end of it",
  },
  {
    between: ["machinepool-guard", "sim-autoscaler"],
    field: "MachinePool spec.replicas",
    why: "guard writes a default once where there is none, the provider where replicas are managed from outside",
  },
  {
    between: ["sim-machine", "sim-machinepool"],
    field: "Machine metadata.finalizers",
    why: "sim-machine as long as the SimMachine is there, sim-machinepool once it is gone",
  },
];

interface Owned {
  readonly by: string;
  readonly kind: string;
  readonly contract: boolean;
  readonly field: string;
}

/** Groups whose kinds are no provider objects: a contract kind never means one of them. */
const CORE_GROUPS = new Set(["", "cluster.x-k8s.io"]);

function ownedBy({ spec }: AnyFunction): readonly Owned[] {
  const own = spec.owns.map((field) => ({ kind: spec.reconciles, field }));
  const foreign = (spec.ownsOn ?? []).flatMap(({ kind, fields }) => fields.map((field) => ({ kind, field })));
  return [...own, ...foreign].map(({ kind, field }) => ({
    by: spec.name,
    kind: isContractKind(kind) ? kind.contract : kind.kind,
    contract: isContractKind(kind) || !CORE_GROUPS.has(kind.group),
    field,
  }));
}

/** A contract kind and a provider's own kind may be the same object; two contract kinds are not. */
function mayBeSame(a: Owned, b: Owned, contracts: ReadonlySet<string>): boolean {
  if (a.kind === b.kind) return true;
  return a.contract && b.contract && contracts.has(a.kind) !== contracts.has(b.kind);
}

function overlaps(a: string, b: string): boolean {
  const [short = [], long = []] = [segmentsOf(a), segmentsOf(b)].sort((x, y) => x.length - y.length);
  return short.every((segment, index) => segment === long[index]);
}

function pairs(owned: readonly Owned[], contracts: ReadonlySet<string>): readonly string[] {
  return owned.flatMap((a) =>
    owned
      .filter((b) => a.by < b.by && mayBeSame(a, b, contracts) && overlaps(a.field, b.field))
      .map((b) => `${a.by} and ${b.by} write ${a.kind} ${a.field}`),
  );
}

const functions = await loadFunctions();
const contractNames = new Set(
  functions.flatMap(({ spec }) =>
    (spec.ownsOn ?? []).flatMap(({ kind }) => (isContractKind(kind) ? [kind.contract] : [])),
  ),
);

describe("every field that Capstan writes", () => {
  it("has one writer, or two that take turns", () => {
    const allowed = TURNS.map(({ between, field }) => `${between[0]} and ${between[1]} write ${field}`);
    // Equality: a pair that no longer exists must not stay excused.
    expect(new Set(pairs(functions.flatMap(ownedBy), contractNames))).toEqual(new Set(allowed));
  });

  it("is seen to overlap with the whole it is part of, and a provider's kind with its contract", () => {
    const owned = (by: string, kind: string, field: string, contract = false) => ({
      by,
      kind,
      field,
      contract,
    });
    const contracts = new Set(["InfraCluster"]);
    const conflicting = (a: Owned, b: Owned) => pairs([a, b], contracts).length;
    expect(conflicting(owned("a", "A", "status"), owned("b", "A", "status.x"))).toBe(1);
    expect(conflicting(owned("a", "A", "status.x"), owned("b", "A", "status.xy"))).toBe(0);
    expect(conflicting(owned("a", "A", "status"), owned("b", "B", "status"))).toBe(0);
    expect(
      conflicting(owned("a", "InfraCluster", "spec", true), owned("b", "SimCluster", "spec.x", true)),
    ).toBe(1);
  });

  it("is applied as a whole list or map: an apply has no place for one element's path", () => {
    const elements = functions.flatMap(({ spec }) => spec.owns).filter((field) => field.includes("["));
    expect(elements).toEqual([]);
  });

  it("is part of the status where it is applied, since an object's main document is only patched", () => {
    for (const { spec } of functions) {
      expect(spec.owns.filter((field) => segmentsOf(field)[0] !== "status")).toEqual([]);
    }
  });
});
