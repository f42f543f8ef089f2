import { describe, expect, it } from "vitest";
import { rolloutInMs, upToDateCondition } from "../../../../functions/machine/rules/up-to-date.ts";
import type { MachineDeployment } from "../../../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../../../shared/api/machineset.ts";
import { condition } from "../../../../shared/rules/conditions/conditions.ts";
import type { Overrides, ProviderObject } from "../../../support/builders.ts";
import { machineSet } from "../../../support/foo-sets.ts";
import { machineConfig, ownInfraMachine, ready, soloMachine } from "../../../support/machines.ts";
import { NOW } from "../../../support/world.ts";

const SPEC = {
  clusterName: "c1",
  version: "v1.34.2",
  bootstrap: { configRef: { apiGroup: "bootstrap.io", kind: "FooConfigTemplate", name: "t1" } },
  infrastructureRef: { apiGroup: "infra.io", kind: "FooMachineTemplate", name: "t1" },
};
const STILL = condition("Updating", "False", "NotUpdating");

function rollout(wanted: object, after?: string) {
  const set = {
    metadata: { name: "s1", creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { template: { spec: SPEC } },
  } as unknown as MachineSet;
  const deployment = {
    metadata: { name: "d1" },
    spec: { template: { spec: { ...SPEC, ...wanted } }, rollout: { after } },
  } as unknown as MachineDeployment;
  return { set, deployment };
}

function said(
  wanted: object,
  {
    after,
    updating = STILL,
    kubelet = "v1.34.2",
  }: { after?: string; updating?: typeof STILL; kubelet?: string } = {},
) {
  const inputs = {
    rollout: rollout(wanted, after),
    providers: ready(),
    updating,
    kubeletVersion: kubelet,
    now: NOW,
  };
  const { status, reason, message } = upToDateCondition(soloMachine(), inputs);
  return `${status} ${reason} ${message}`;
}

describe("UpToDate of a Machine of a MachineDeployment", () => {
  it("is True when set and deployment want the same, and the kubelet runs it", () => {
    expect(said({})).toBe("True UpToDate ");
    expect(said({ version: "1.34.2" })).toBe("True UpToDate ");
  });

  it("names every difference in a line of its own", () => {
    const other = { name: "t2" };
    const wanted = {
      version: "v1.35.0",
      bootstrap: { configRef: { ...SPEC.bootstrap.configRef, ...other } },
      infrastructureRef: { ...SPEC.infrastructureRef, ...other },
      failureDomain: "az-1",
    };
    expect(said(wanted)).toBe(
      "False NotUpToDate * Version v1.34.2, v1.35.0 required\n* FooConfig is not up-to-date\n* FooMachine is not up-to-date\n* Failure domain , az-1 required",
    );
    expect(said({ version: undefined })).toBe("False NotUpToDate * Version v1.34.2,  required");
  });

  it("names the kinds that the Machine has", () => {
    const configRef = { ...SPEC.bootstrap.configRef, kind: "BarConfigTemplate" };
    const infrastructureRef = { ...SPEC.infrastructureRef, kind: "BarMachineTemplate" };
    expect(said({ bootstrap: { configRef }, infrastructureRef })).toBe(
      "False NotUpToDate * FooConfig is not up-to-date\n* FooMachine is not up-to-date",
    );
    expect(said({ bootstrap: { dataSecretName: "mine" } })).toBe(
      "False NotUpToDate * FooConfig is not up-to-date",
    );
  });

  it("follows the time of a rollout, which sets made before it do not meet", () => {
    const after = "2026-01-01T12:00:01Z";
    expect(said({}, { after })).toBe("True UpToDate ");
    expect(rolloutInMs(rollout({}, after), NOW)).toBe(1_000);
    expect(said({}, { after: "2026-01-01T11:00:00Z" })).toBe(
      "False NotUpToDate * MachineDeployment spec.rolloutAfter expired",
    );
    expect(rolloutInMs(rollout({}, "2026-01-01T11:00:00Z"), NOW)).toBeUndefined();
    expect(said({}, { after: "2025-01-01T11:00:00Z" })).toBe("True UpToDate ");
    // Creation times are whole seconds.
    expect(said({}, { after: "2026-01-01T00:00:00.9Z" })).toBe("True UpToDate ");
  });

  it("is Updating while the Machine is, and until the kubelet runs the version", () => {
    const updating = condition("Updating", "True", "InPlaceUpdating", "");
    expect(said({}, { updating })).toBe("False Updating * In-place update in progress");
    expect(said({}, { kubelet: "v1.33.0" })).toBe(
      "False Updating * Node.status.nodeInfo.kubeletVersion v1.33.0, v1.34.2 required",
    );
    // A kubelet that has not reported yet.
    expect(said({}, { kubelet: "" })).toBe("True UpToDate ");
  });
});

describe("UpToDate of a Machine of a set alone", () => {
  const { bootstrap, infrastructureRef } = machineSet().spec.template.spec;
  const clonedFrom = (name: string, kind: string, group: string): Overrides<ProviderObject> => ({
    metadata: {
      annotations: {
        "cluster.x-k8s.io/cloned-from-name": name,
        "cluster.x-k8s.io/cloned-from-groupkind": `${kind}.${group}`,
      },
    },
  });
  const clones = ready(
    machineConfig(clonedFrom("s1-config", "FooConfigTemplate", "bootstrap.cluster.x-k8s.io")),
    ownInfraMachine(clonedFrom("s1-infra", "FooMachineTemplate", "infrastructure.cluster.x-k8s.io")),
  );
  const judged = (
    template: Overrides<MachineSet["spec"]["template"]["spec"]>,
    machine = soloMachine(),
    providers = clones,
  ) => {
    const set = machineSet({ spec: { template: { spec: { version: "v1.34.2", ...template } } } });
    const inputs = { rollout: { set }, providers, updating: STILL, kubeletVersion: "v1.30.0", now: NOW };
    const { status, reason, message } = upToDateCondition(machine, inputs);
    return `${status} ${reason} ${message}`.trim();
  };
  const secret = (dataSecretName: string) =>
    soloMachine({ spec: { bootstrap: { configRef: undefined, dataSecretName } } });

  it("is True while it is as the template says, also where the provider has chosen the failure domain", () => {
    expect(judged({})).toBe("True UpToDate");
    expect(judged({ version: "1.34.2" }, soloMachine({ spec: { failureDomain: "az-1" } }))).toBe(
      "True UpToDate",
    );
    expect(judged({}, soloMachine(), ready())).toBe("True UpToDate");
    const given = { bootstrap: { configRef: undefined, dataSecretName: "mine" } };
    expect(judged(given, secret("mine"))).toBe("True UpToDate");
  });

  it.each([
    ["another version", { version: "v1.35.0" }, soloMachine(), "* Version v1.34.2, v1.35.0 required"],
    [
      "another infrastructure",
      { infrastructureRef: { ...infrastructureRef, name: "s2" } },
      soloMachine(),
      "* FooMachine is not up-to-date",
    ],
    [
      "another config",
      { bootstrap: { configRef: { ...bootstrap.configRef, name: "s2" } } },
      soloMachine(),
      "* FooConfig is not up-to-date",
    ],
    [
      "another Secret",
      { bootstrap: { configRef: undefined, dataSecretName: "new" } },
      secret("old"),
      "* spec.bootstrap.dataSecretName old, new required",
    ],
    ["a config in place of a Secret", {}, secret("old"), "* spec.bootstrap.dataSecretName old, nil required"],
    [
      "a failure domain",
      { failureDomain: "az-2" },
      soloMachine({ spec: { failureDomain: "az-1" } }),
      "* Failure domain az-1, az-2 required",
    ],
  ] as const)("is False once the template has %s", (_, template, machine, message) => {
    expect(judged(template as never, machine)).toBe(`False NotUpToDate ${message}`);
  });
});
