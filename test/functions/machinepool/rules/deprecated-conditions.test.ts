import { describe, expect, it } from "vitest";
import { poolStatus } from "../../../../functions/machinepool/rules/status.ts";
import { poolView } from "../../../../functions/machinepool/rules/view.ts";
import type { Node } from "../../../../shared/api/core.ts";
import type { MachinePool } from "../../../../shared/api/machinepool.ts";
import type { MachineProviders } from "../../../../shared/rules/providers/machine-providers.ts";
import {
  bootstrapConfig,
  cluster,
  found,
  infraMachinePool,
  machinePool,
  missing,
  node,
  type ProviderObject,
} from "../../../support/builders.ts";
import { NOW } from "../../../support/world.ts";

interface Case extends Partial<MachineProviders> {
  readonly pool?: MachinePool;
  readonly nodes?: readonly Node[] | undefined;
}

/** The condition as `<status> <severity> <reason>: <message>`, for a ready pool with what a case changes. */
function conditionIn(type: string, change: Case = {}): string {
  const { pool = machinePool(), ...rest } = change;
  const nodes = "nodes" in change ? change.nodes : [node("n1"), node("n2"), node("n3")];
  const providers = {
    bootstrap: found(bootstrapConfig()),
    infrastructure: found(infraMachinePool()),
    ...rest,
  };
  const status = poolStatus(poolView({ pool, cluster: cluster(), providers, nodes, now: NOW }));
  const entry = status.deprecated?.v1beta1?.conditions?.find((condition) => condition.type === type);
  if (entry === undefined) return "absent";
  const { status: is, severity, reason, message } = entry;
  return [is, severity, reason, message].filter((text) => text !== undefined).join(" ");
}

const config = (status: object): ProviderObject => ({ ...bootstrapConfig(), status: { ...status } });
const infra = (status: object): ProviderObject => ({ ...infraMachinePool(), status: { ...status } });
const failing = {
  conditions: [{ type: "Ready", status: "False", severity: "Error", reason: "R", message: "m" }],
};

describe("BootstrapReady", () => {
  it.each([
    [
      "the object's Ready, even against the flag",
      { bootstrap: found(config({ ...bootstrapConfig().status, ...failing })) },
      "False Error R m",
    ],
    ["data that is ready", {}, "True"],
    ["data that is not ready", { bootstrap: found(config({})) }, "False Info WaitingForDataSecret"],
    [
      "a Ready condition with an unknown status",
      { bootstrap: found(config({ conditions: [{ type: "Ready", status: "so-so" }] })) },
      "False Info WaitingForDataSecret",
    ],
    ["an object that is missing", { bootstrap: missing(bootstrapConfig()) }, "absent"],
  ])("for %s", (_, change, expected) => {
    expect(conditionIn("BootstrapReady", change)).toBe(expected);
  });

  it("is True for an override whatever the object says, and without configRef", () => {
    const overridden = machinePool({
      metadata: { managers: { "spec.template.spec.bootstrap.dataSecretName": ["helm"] } },
    });
    const without = machinePool({ spec: { template: { spec: { bootstrap: { configRef: undefined } } } } });
    expect(conditionIn("BootstrapReady", { pool: overridden, bootstrap: found(config(failing)) })).toBe(
      "True",
    );
    expect(conditionIn("BootstrapReady", { pool: without, bootstrap: undefined })).toBe("True");
  });

  it("stays as it was while the object is missing", () => {
    const stored = { type: "BootstrapReady", status: "True", lastTransitionTime: "2026-01-01T08:00:00Z" };
    const pool = machinePool({ status: { deprecated: { v1beta1: { conditions: [stored] } } } });
    expect(conditionIn("BootstrapReady", { pool, bootstrap: missing(bootstrapConfig()) })).toBe("True");
  });
});

describe("the deprecated InfrastructureReady", () => {
  it.each([
    [
      "the object's Ready",
      { infrastructure: found(infra({ ready: true, replicas: 3, ...failing })) },
      "False Error R m",
    ],
    ["infrastructure that is ready", {}, "True"],
    [
      "infrastructure that is not",
      { infrastructure: found(infra({})) },
      "False Info WaitingForInfrastructure",
    ],
    [
      "an object that is missing",
      { infrastructure: missing(infraMachinePool()) },
      "False Error IncorrectExternalRef could not find infra reference of kind FooMachinePool with name p1-infra",
    ],
  ])("for %s", (_, change, expected) => {
    expect(conditionIn("InfrastructureReady", change)).toBe(expected);
  });
});

describe("ReplicasReady", () => {
  const fresh = machinePool({ spec: { providerIDList: undefined } });
  const notReady = node("n3", { status: { conditions: [] } });

  it.each([
    ["as many ready Nodes as replicas", {}, "True"],
    [
      "a Node that is not ready",
      { nodes: [node("n1"), node("n2"), notReady] },
      "False Info WaitingForReplicasReady",
    ],
    [
      "more replicas than Nodes",
      { infrastructure: found(infra({ ready: true, replicas: 4 })) },
      "False Info WaitingForReplicasReady",
    ],
    ["a new pool with nothing at all", { pool: fresh, infrastructure: found(infra({})), nodes: [] }, "True"],
    [
      "a new pool without infrastructure object",
      { pool: fresh, infrastructure: missing(infraMachinePool()), nodes: [] },
      "absent",
    ],
    ["a new pool whose workload cluster cannot be seen", { pool: fresh, nodes: undefined }, "absent"],
  ])("with %s", (_, change, expected) => {
    expect(conditionIn("ReplicasReady", change)).toBe(expected);
  });

  it("does not count Nodes that are being retired", () => {
    const shrunk = machinePool({
      spec: { providerIDList: ["foo://1", "foo://2"], replicas: 2 },
      status: { nodeRefs: [{ name: "n3", uid: "uid-n3" }] },
    });
    const object: ProviderObject = {
      ...infra({ ready: true, replicas: 2 }),
      spec: { providerIDList: ["foo://1", "foo://2"] },
    };
    expect(conditionIn("ReplicasReady", { pool: shrunk, infrastructure: found(object) })).toBe("True");
  });
});

describe("the deprecated Ready", () => {
  it("is the worst of the three", () => {
    expect(conditionIn("Ready")).toBe("True");
    expect(conditionIn("Ready", { infrastructure: missing(infraMachinePool()) })).toMatch(
      /^False Error IncorrectExternalRef/,
    );
    expect(conditionIn("Ready", { bootstrap: found(config({})) })).toBe("False Info WaitingForDataSecret");
  });
});
