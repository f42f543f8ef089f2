import { describe, expect, it } from "vitest";
import { refusedDefinition as whyRefused } from "../../../../infra/playground/apiserver/entry.ts";
import type { Finding } from "../../../../infra/providers/contract/finding.ts";
import { judgeCrds } from "../../../../infra/providers/contract/judge-crds.ts";
import { readCrd } from "../../../../infra/providers/contract/read-crd.ts";
import { prefixOf } from "../../../../shared/contract/rules/all.ts";
import { CRD_RULES } from "../../../../shared/contract/rules/crd/rules.ts";
import type { ReleaseAround } from "../../../../shared/contract/rules/crd/subject.ts";
import { KINDS, PREFIXES, ROWS, TEMPLATES } from "../../../support/contract/broken.ts";
import { goodCrd, goodTemplate, type RawCrd } from "../../../support/contract/crds.ts";
import type { Contract } from "../../../support/contract/schemas.ts";

function placed(raw: RawCrd) {
  const read = readCrd({ value: { ...raw }, file: "crd.yaml", line: 1 }, whyRefused);
  if (!("crd" in read)) throw new Error(read.message);
  return read;
}

function findingsOf(raw: RawCrd, release?: ReleaseAround): readonly Finding[] {
  const options = { named: new Map(), assumed: "v1beta2" as const, waivers: new Map(), release };
  return judgeCrds([placed(raw)], options);
}

/** `fail CP-01` for everything that is not kept, each once. */
function broken(raw: RawCrd, release?: ReleaseAround): readonly string[] {
  const counted = findingsOf(raw, release).filter(({ verdict }) => verdict === "fail" || verdict === "warn");
  return [...new Set(counted.map(({ verdict, rule }) => `${verdict} ${rule}`))];
}

/** The release of a provider with these CRDs, which keeps every rule. */
function releaseOf(...crds: readonly RawCrd[]): ReleaseAround {
  return { crds: crds.map((raw) => placed(raw).crd), aggregated: [], seriesContract: "v1beta2" };
}

const CONTRACTS: readonly (readonly Contract[])[] = [["v1beta1"], ["v1beta2"], ["v1beta1", "v1beta2"]];

describe("a CRD that keeps its contract", () => {
  it.each(Object.keys(PREFIXES).flatMap((kind) => CONTRACTS.map((contracts) => [kind, contracts] as const)))(
    "%s has no finding under %j, alone and in its release",
    (kind, contracts) => {
      const crd = goodCrd(kind, { contracts });
      const template = goodTemplate(kind, { contracts });
      const release = { ...releaseOf(crd, template), seriesContract: contracts.at(-1) };
      expect([crd, template].flatMap((one) => broken(one))).toEqual([]);
      expect([crd, template].flatMap((one) => broken(one, release))).toEqual([]);
    },
  );

  it.each(Object.keys(PREFIXES))("%s and its template pass each rule that a CRD decides", (kind) => {
    const own = [...findingsOf(goodCrd(kind)), ...findingsOf(goodTemplate(kind))];
    const decidable = CRD_RULES.filter(
      ({ id, artefact }) => prefixOf(id) === PREFIXES[kind] && artefact === "A1",
    ).map(({ id }) => id);
    const passed = new Set(own.filter(({ verdict }) => verdict === "pass").map(({ rule }) => rule));
    expect(decidable.filter((id) => !passed.has(id))).toEqual([]);
  });
});

describe("one change breaks one rule", () => {
  it.each(ROWS.map((row) => [`${row.verdict} ${row.rule}`, row.title, row] as const))(
    "%s: %s",
    (only, _title, row) => {
      const crd = row.template === true ? goodTemplate(row.kind) : goodCrd(row.kind);
      row.change(crd);
      expect(broken(crd)).toEqual([only]);
    },
  );

  it("has a row for each rule that a CRD decides", () => {
    const rows = new Set(ROWS.map(({ rule }) => rule));
    const decidable = CRD_RULES.filter(({ artefact }) => artefact === "A1").map(({ id }) => id);
    expect(decidable.filter((id) => !rows.has(id))).toEqual([]);
  });
});

describe("rules that need the release", () => {
  const release = (kind: string) => releaseOf(goodCrd(kind), goodTemplate(kind));

  it.each(TEMPLATES)("%s %s: the template is missing", (verdict, rule, kind) => {
    expect(broken(goodCrd(kind), releaseOf(goodCrd(kind)))).toEqual([`${verdict} ${rule}`]);
    expect(broken(goodCrd(kind), release(kind))).toEqual([]);
  });

  it.each(KINDS)("the contract of the series differs from the labels of %s", (kind) => {
    expect(broken(goodCrd(kind), { ...release(kind), seriesContract: "v1beta1" })).toEqual([
      `fail ${PREFIXES[kind]}-11`,
    ]);
  });

  it.each(KINDS)("core has no rights for the group of %s", (kind) => {
    const crd = goodCrd(kind);
    crd.spec.group = crd.spec.group.replace(".cluster.x-k8s.io", ".foo.example");
    crd.metadata.name = `${crd.spec.names.plural}.${crd.spec.group}`;
    const template = goodTemplate(kind);
    template.spec.group = crd.spec.group;
    template.metadata.name = `${template.spec.names.plural}.${crd.spec.group}`;
    const rule = `${PREFIXES[kind]}-03`;
    const around = releaseOf(crd, template);
    expect(findingsOf(crd).find((one) => one.rule === rule)?.verdict).toBe("unknown");
    expect(broken(crd, around)).toEqual([`fail ${rule}`]);
    const role = { apiGroups: [crd.spec.group], resources: [crd.spec.names.plural], verbs: ["*"] };
    expect(broken(crd, { ...around, aggregated: [role] })).toEqual([]);
    const reader = { ...role, verbs: ["create", "get", "list", "patch", "update", "watch"] };
    const [finding] = findingsOf(crd, { ...around, aggregated: [reader] }).filter((one) => one.rule === rule);
    expect(finding?.expected).toContain("grants delete on");
  });

  it("are each among these, or are judged by the rules of clusterctl", () => {
    const common = KINDS.flatMap((kind) => [`${PREFIXES[kind]}-03`, `${PREFIXES[kind]}-11`]);
    const shown = new Set([...TEMPLATES.map(([, rule]) => rule), ...common]);
    const others = CRD_RULES.filter(({ id, artefact }) => artefact !== "A1" && !shown.has(id));
    expect(others.map(({ id }) => id)).toEqual(["IMP-31", "IMP-32", "CP-43", "CP-45", "IC-24", "IM-26"]);
  });

  it("machines of pools need no template", () => {
    const crd = goodCrd("InfraMachine");
    crd.spec.names = { kind: "FooMachinePoolMachine", plural: "foomachinepoolmachines", singular: "x" };
    crd.metadata.name = `${crd.spec.names.plural}.${crd.spec.group}`;
    expect(broken(crd, releaseOf(crd))).toEqual([]);
  });
});
