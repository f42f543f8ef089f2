import { describe, expect, it } from "vitest";
import { targetsOf } from "../../../functions/mhc/rules/targets.ts";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import { CONTROL_PLANE_LABEL } from "../../../shared/api/indexes.ts";
import { type Kind, type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import type { ToKeys } from "../../../shared/function/define-function.ts";
import {
  checksOfConditions,
  checksOfNamesake,
  checksOfNode,
  selectingChecks,
} from "../../../shared/function/health-check-mappings.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { storeLookup } from "../../../shared/runtime/read/store-lookup.ts";
import { merge, node } from "../../support/builders.ts";
import { healthCheck, target } from "../../support/health-checks.ts";

const typeOf = ({ group, kind }: Kind) => ({ cluster: MANAGEMENT, group, kind });

/** Names of the health checks that an event of `object` wakes, with these objects in the read model. */
async function woken(
  toKeys: ToKeys,
  object: KubeObject,
  stored: { readonly checks: readonly MachineHealthCheck[]; readonly machines?: readonly Machine[] },
  cluster: string = MANAGEMENT,
): Promise<readonly string[]> {
  const store = createMemoryStore();
  for (const check of stored.checks) await store.put(typeOf(MachineHealthCheck as unknown as Kind), [check]);
  for (const machine of stored.machines ?? []) await store.put(typeOf(Machine as unknown as Kind), [machine]);
  const members = await toKeys(
    { object, cluster },
    MachineHealthCheck as unknown as Kind,
    storeLookup(store),
  );
  return [...new Set(members.map(({ name }) => name))].toSorted(compareText);
}

function checkFor(name: string, selector: MachineHealthCheck["spec"]["selector"]): MachineHealthCheck {
  const check = healthCheck({ metadata: { name, uid: `uid-${name}` } });
  return { ...check, spec: { ...check.spec, selector } };
}

const checks = [
  checkFor("a", { matchLabels: { tier: "a" } }),
  checkFor("b", { matchLabels: { tier: "b" } }),
  checkFor("a-of-many", { matchLabels: { zone: "z1", tier: "a" } }),
  checkFor("expression", { matchExpressions: [{ key: "tier", operator: "Exists" }] }),
];

describe("an event of a Machine", () => {
  it("wakes the health checks that may select it, and not the others of its Cluster", async () => {
    expect(await woken(selectingChecks, target(), { checks })).toEqual(["a", "a-of-many", "expression"]);
    const other = target("m1", { metadata: { labels: { tier: "b" } } });
    expect(await woken(selectingChecks, other, { checks })).toEqual(["b", "expression"]);
  });

  it("by any of its conditions wakes them only where one names conditions, or it is of the control plane", async () => {
    const [first, ...others] = checks;
    const naming = merge(first ?? healthCheck(), {
      spec: {
        checks: {
          unhealthyMachineConditions: [{ type: "BootstrapConfigReady", status: "False", timeoutSeconds: 9 }],
        },
      },
    });
    const labels = { [CONTROL_PLANE_LABEL]: "" };
    const all = ["a", "a-of-many", "expression"];
    expect(await woken(checksOfConditions, target(), { checks })).toEqual([]);
    expect(await woken(checksOfConditions, target(), { checks: [naming, ...others] })).toEqual(all);
    expect(await woken(checksOfConditions, target("m1", { metadata: { labels } }), { checks })).toEqual(all);
  });

  it("wakes none of another Cluster or namespace", async () => {
    expect(await woken(selectingChecks, target("m1", { spec: { clusterName: "c2" } }), { checks })).toEqual(
      [],
    );
    const elsewhere = target("m1", { metadata: { namespace: "other" } });
    expect(await woken(selectingChecks, elsewhere, { checks })).toEqual([]);
  });

  it("with very many labels wakes all of its Cluster", async () => {
    const labels = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`l${at}`, "v"]));
    expect(await woken(selectingChecks, target("m1", { metadata: { labels } }), { checks })).toHaveLength(4);
  });

  it("misses no health check that selects it", async () => {
    const machines = ["a", "b"].flatMap((tier) =>
      ["z1", "z2"].map((zone) => target(`m-${tier}-${zone}`, { metadata: { labels: { tier, zone } } })),
    );
    for (const machine of machines) {
      const found = await woken(selectingChecks, machine, { checks });
      const selecting = checks.filter((check) => {
        const targets = targetsOf(check, [machine]);
        return "machines" in targets && targets.machines.length > 0;
      });
      expect(selecting.length).toBeGreaterThan(0);
      expect(found).toEqual(expect.arrayContaining(selecting.map(({ metadata }) => metadata.name)));
    }
  });
});

describe("an event of a Node", () => {
  it("wakes the health checks of the Machine that names it, in the Cluster of its server", async () => {
    const stored = { checks, machines: [target("m1")] };
    const its = node("m1");
    expect(await woken(checksOfNode, its, stored, "default/c1")).toEqual(["a", "a-of-many", "expression"]);
    expect(await woken(checksOfNode, its, stored, "default/c2")).toEqual([]);
    expect(await woken(checksOfNode, node("m2"), stored, "default/c1")).toEqual([]);
  });
});

describe("an event of a remediation request", () => {
  it("wakes those health checks of the Machine of its name that make requests of its kind", async () => {
    const request = (name: string, kind = "FooRemediation") => ({
      apiVersion: "a.dev/v1",
      kind,
      metadata: { name, namespace: "default" },
    });
    const templateRef = { apiVersion: "a.dev/v1", kind: "FooRemediationTemplate", name: "t" };
    const making = checks.map((check) =>
      check.metadata.name === "expression" ? check : merge(check, { spec: { remediation: { templateRef } } }),
    );
    const stored = { checks: making, machines: [target("m1")] };
    expect(await woken(checksOfNamesake, request("m1"), stored)).toEqual(["a", "a-of-many"]);
    expect(await woken(checksOfNamesake, request("node-7"), stored)).toEqual([]);
    expect(await woken(checksOfNamesake, request("m1", "FooMachine"), stored)).toEqual([]);
  });
});
