import { describe, expect, it } from "vitest";
import { refusedDefinition as whyRefused } from "../../../../infra/playground/apiserver/entry.ts";
import type { Finding } from "../../../../infra/providers/contract/finding.ts";
import { judgeCrds } from "../../../../infra/providers/contract/judge-crds.ts";
import { readCrd } from "../../../../infra/providers/contract/read-crd.ts";
import { goodCrd, type RawCrd, schemaAt, withField, without } from "../../../support/contract/crds.ts";

function findingsOf(raw: RawCrd): readonly Finding[] {
  const read = readCrd({ value: { ...raw }, file: "crd.yaml", line: 1 }, whyRefused);
  if (!("crd" in read)) throw new Error(read.message);
  return judgeCrds([read], { named: new Map(), assumed: "v1beta2", waivers: new Map() });
}

function verdictsOf(raw: RawCrd, ...rules: readonly string[]): readonly string[] {
  return findingsOf(raw)
    .filter(({ rule, contract }) => rules.includes(rule) && contract === "v1beta2")
    .map(({ rule, verdict }) => `${rule} ${verdict}`);
}

const OPEN = { "x-kubernetes-preserve-unknown-fields": true };

describe("schemas that leave a field open", () => {
  it("make a rule on a field below unknown, and say that objects decide", () => {
    const crd = goodCrd("InfraMachinePool");
    without(crd, "v1beta2", "status.ready");
    Object.assign(schemaAt(crd, "v1beta2", "status"), OPEN);
    const finding = findingsOf(crd).find(({ rule, verdict }) => rule === "IMP-16" && verdict === "unknown");
    expect(finding?.found).toBe(
      "status.ready is inside x-kubernetes-preserve-unknown-fields; an object (A3) decides",
    );
  });

  it("do not excuse a declared field of another type", () => {
    const crd = goodCrd("InfraMachinePool");
    withField(crd, "v1beta2", "status.ready", { type: "string" });
    Object.assign(schemaAt(crd, "v1beta2", "status"), OPEN);
    expect(verdictsOf(crd, "IMP-16")).toEqual(["IMP-16 fail"]);
  });

  it("may have a field without a type, a machine template of any shape, and an open endpoint", () => {
    const pool = goodCrd("InfraMachinePool");
    withField(pool, "v1beta2", "status.replicas", OPEN);
    expect(verdictsOf(pool, "IMP-17")).toEqual(["IMP-17 unknown"]);
    const plane = goodCrd("ControlPlane");
    withField(plane, "v1beta2", "spec.machineTemplate", { type: "object", ...OPEN });
    withField(plane, "v1beta2", "spec.controlPlaneEndpoint", { type: "object", ...OPEN });
    expect(verdictsOf(plane, "CP-13", "CP-21", "CP-24")).toEqual([
      "CP-13 unknown",
      "CP-13 unknown",
      "CP-21 unknown",
      "CP-24 unknown",
    ]);
  });

  it("are those without fields of their own only: a nullable field keeps its type", () => {
    const crd = goodCrd("InfraMachinePool");
    Object.assign(schemaAt(crd, "v1beta2", "status.ready"), { nullable: true });
    expect(verdictsOf(crd, "IMP-16")).toEqual(["IMP-16 pass"]);
  });
});

describe("a label that names a version which the CRD lacks", () => {
  it("leaves the rules on fields without a schema; the label itself is what fails", () => {
    const crd = goodCrd("InfraMachinePool");
    crd.metadata.labels["cluster.x-k8s.io/v1beta2"] = "v1";
    expect(verdictsOf(crd, "IMP-02", "IMP-05", "IMP-06", "IMP-07", "IMP-12", "IMP-16")).toEqual([
      "IMP-02 na",
      "IMP-05 fail",
      "IMP-06 fail",
      "IMP-07 pass",
      "IMP-12 na",
      "IMP-16 na",
    ]);
  });
});

describe("the annotation that skips clusterctl's check of the name", () => {
  it("is a warning for kinds of no contract, and no excuse for those that core looks up", () => {
    const named = (kind: string) => {
      const crd = goodCrd("InfraMachinePool");
      crd.spec.names = { kind, plural: "foos", singular: "foo" };
      crd.metadata.name = `foos.${crd.spec.group}`;
      crd.metadata.annotations["clusterctl.cluster.x-k8s.io/skip-crd-name-preflight-check"] = "";
      return crd;
    };
    expect(verdictsOf(named("FooIdentity"), "CRD-09")).toEqual(["CRD-09 warn"]);
    expect(verdictsOf(named("FooMachinePool"), "IMP-09")).toEqual(["IMP-09 fail"]);
  });
});

describe("fields that a provider need not have", () => {
  it("are not judged where they are absent", () => {
    const plane = goodCrd("ControlPlane");
    for (const field of [
      "spec.replicas",
      "spec.version",
      "spec.machineTemplate",
      "spec.controlPlaneEndpoint",
    ])
      without(plane, "v1beta2", field);
    schemaAt(plane, "v1beta2", "spec")["required"] = [];
    const rules = [13, 14, 15, 16, 17, 18, 19, 21, 22, 24, 25].map((number) => `CP-${number}`);
    expect(verdictsOf(plane, ...rules)).toEqual(rules.map((rule) => `${rule} na`));
  });

  it("a placeholder for the machine template leaves its members out", () => {
    const plane = goodCrd("ControlPlane");
    withField(plane, "v1beta2", "spec.machineTemplate", { type: "object" });
    expect(verdictsOf(plane, "CP-21", "CP-22", "CP-24", "CP-25")).toEqual([
      "CP-21 warn",
      "CP-22 na",
      "CP-24 na",
      "CP-25 na",
    ]);
  });
});
