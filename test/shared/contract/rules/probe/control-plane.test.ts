import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import type { Life } from "../../../../../shared/contract/rules/probe/subject.ts";
import { at, core, foo, owner, said } from "../../../../support/contract/life.ts";

const LABELS = { "cluster.x-k8s.io/cluster-name": "c1", "cluster.x-k8s.io/control-plane": "" };
const KEY = "contract.capstan.dev/probe";
const CONTROL_PLANE = foo("FooControlPlane", "c1", {
  spec: { machineTemplate: { spec: { minReadySeconds: 5 } } },
});
const UP_TO_DATE = { conditions: [{ type: "UpToDate", status: "True" }] };

function machine(
  name: string,
  failureDomain: string,
  metadata: object = {},
  content: object = {},
): KubeObject {
  return core("Machine", name, {
    metadata: { labels: LABELS, ownerReferences: [owner(CONTROL_PLANE)], ...metadata },
    spec: { failureDomain, minReadySeconds: 5 },
    status: UP_TO_DATE,
    ...content,
  });
}

function cluster(...domains: readonly string[]): KubeObject {
  const failureDomains = domains.map((name) => ({ name, controlPlane: true }));
  return core("Cluster", "c1", { status: { failureDomains } });
}

function judged(life: Partial<Life>, contract: "v1beta1" | "v1beta2" = "v1beta2"): readonly string[] {
  const rules = ["CP-23", "CP-37", "CP-38", "CP-39"];
  const how = { title: "FooControlPlane c1", contractKind: "ControlPlane", contract } as const;
  return said(life, { ...how, verdicts: ["pass", "fail", "warn", "na"] }).filter((one) =>
    rules.some((rule) => one.endsWith(rule)),
  );
}

function provisioned(...objects: readonly KubeObject[]): Partial<Life> {
  return { provisioned: at(CONTROL_PLANE, ...objects) };
}

describe("Machines of a control plane", () => {
  it("have both labels, their controller, domains, and say whether they are up to date", () => {
    const life = provisioned(cluster("a", "b"), machine("m1", "a"), machine("m2", "b"));
    expect(judged(life)).toEqual(["pass CP-23", "pass CP-37", "pass CP-39"]);
    expect(judged(life, "v1beta1")).toEqual(["pass CP-23", "pass CP-37", "na CP-39"]);
  });

  it("are not asked for where there are none", () => {
    expect(judged(provisioned(cluster("a", "b")))).toEqual(["na CP-23", "na CP-37", "na CP-39"]);
    const external = { provisioned: at(foo("FooControlPlane", "c1", { spec: {} })) };
    expect(judged(external)).toContain("na CP-38");
  });

  it.each<[string, KubeObject]>([
    [
      "a label with a value",
      machine("m2", "b", { labels: { ...LABELS, "cluster.x-k8s.io/control-plane": "yes" } }),
    ],
    [
      "no label of the control plane",
      machine("m2", "b", { labels: { "cluster.x-k8s.io/cluster-name": "c1" } }),
    ],
    ["no label of the Cluster", machine("m2", "b", { labels: { "cluster.x-k8s.io/control-plane": "" } })],
    ["no controller", machine("m2", "b", { ownerReferences: [] })],
    ["another controller", machine("m2", "b", { ownerReferences: [owner(core("MachineSet", "s1"))] })],
  ])("must not have %s", (_, wrong) => {
    const life = provisioned(cluster("a", "b"), machine("m1", "a"), wrong);
    expect(judged(life)).toEqual(["fail CP-23", "pass CP-37", "pass CP-39"]);
  });

  it.each<[string, readonly KubeObject[], string]>([
    ["share the only domain", [cluster("a"), machine("m1", "a"), machine("m2", "a")], "na CP-37"],
    ["are alone in one of two", [cluster("a", "b"), machine("m1", "a")], "na CP-37"],
    ["share one of two", [cluster("a", "b"), machine("m1", "a"), machine("m2", "a")], "warn CP-37"],
    ["are in none of two", [cluster("a", "b"), machine("m1", ""), machine("m2", "")], "warn CP-37"],
  ])("are judged where they %s", (_, objects, expected) => {
    expect(judged(provisioned(...objects))).toContain(expected);
  });

  it.each<[string, object]>([
    ["condition UpToDate", { status: {} }],
    ["minReadySeconds of their template", { spec: {} }],
  ])("must have the %s", (_, content) => {
    expect(judged(provisioned(cluster(), machine("m1", "", {}, content)))).toContain("warn CP-39");
  });

  it.each<[string, KubeObject, string]>([
    ["get it in place", machine("m1", "a", { labels: { ...LABELS, [KEY]: "yes" } }), "pass CP-38"],
    ["never get it", machine("m1", "a"), "fail CP-38"],
    ["are replaced", machine("m1", "a", { uid: "other", labels: { ...LABELS, [KEY]: "yes" } }), "fail CP-38"],
  ])("may be asked for a new label: those that %s", (_, after, expected) => {
    const trial = {
      key: KEY,
      before: at(CONTROL_PLANE, machine("m1", "a")),
      after: at(CONTROL_PLANE, after),
    };
    const life = { ...provisioned(machine("m1", "a")), labelled: new Map([["FooControlPlane c1", trial]]) };
    expect(judged(life)).toContain(expected);
  });
});
