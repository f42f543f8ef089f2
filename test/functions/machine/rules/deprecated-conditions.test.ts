import { describe, expect, it } from "vitest";
import { machineDeprecatedConditions } from "../../../../functions/machine/rules/deprecated-conditions.ts";
import type { MachineStage } from "../../../../functions/machine/rules/stage.ts";
import type { MachineFacts } from "../../../../functions/machine/rules/view.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { machineCondition, missing, type Overrides, unresolved } from "../../../support/builders.ts";
import { healthyNode, machineViewWith } from "../../../support/machine-view.ts";
import {
  machineConfig,
  OWNED_BY_M1,
  ownInfraMachine,
  ready,
  soloMachine,
} from "../../../support/machines.ts";

const NEW = { spec: { providerID: undefined, bootstrap: { dataSecretName: undefined } } };
const GOING = { metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } };
const NOT_YET = { status: undefined };
const WAITING = ready(machineConfig(NOT_YET), ownInfraMachine(NOT_YET));
const FOREIGN = { metadata: { ownerReferences: [{ ...OWNED_BY_M1, name: "m2", uid: "uid-m2" }] } };
const GONE = { bootstrap: missing(machineConfig()), infrastructure: missing(ownInfraMachine()) };

function stored(type: string, status: string, severity?: string) {
  return { type, status, severity, lastTransitionTime: "2026-01-01T11:00:00Z" };
}

function said(changes: Partial<MachineFacts>): readonly string[] {
  return machineDeprecatedConditions(machineViewWith(changes)).map(
    ({ type, status, severity = "", reason = "", message = "" }) =>
      `${type}: ${[status, severity, reason, message].filter((word) => word !== "").join(" ")}`,
  );
}

function one(type: string, changes: Partial<MachineFacts>): string | undefined {
  return said(changes)
    .find((text) => text.startsWith(`${type}: `))
    ?.slice(type.length + 2);
}

describe("conditions of a Machine in the sense of v1beta1", () => {
  it("are four of a Machine that runs, Ready first", () => {
    expect(said({})).toEqual([
      "Ready: True",
      "BootstrapReady: True",
      "InfrastructureReady: True",
      "NodeHealthy: True",
    ]);
  });

  it("say how many steps are done while it comes up", () => {
    expect(said({ machine: soloMachine(NEW), providers: WAITING, nodes: undefined })).toEqual([
      "Ready: False Info WaitingForInfrastructure 0 of 2 completed",
      "BootstrapReady: False Info WaitingForDataSecret",
      "InfrastructureReady: False Info WaitingForInfrastructure",
      "NodeHealthy: False Info WaitingForNodeRef",
    ]);
    const created = ready(machineConfig(), ownInfraMachine(NOT_YET));
    expect(one("Ready", { machine: soloMachine(NEW), providers: created })).toBe(
      "False Info WaitingForInfrastructure 1 of 2 completed",
    );
    expect(one("BootstrapReady", { machine: soloMachine(NEW), providers: created })).toBe("True");
  });

  it("leave the entries of others where they are, and Ready follows a failed health check", () => {
    const conditions = [
      stored("EtcdMemberHealthy", "False", "Error"),
      { ...stored("HealthCheckSucceeded", "False", "Warning"), reason: "UnhealthyNode", message: "m" },
    ];
    const machine = soloMachine({ status: { deprecated: { v1beta1: { conditions } } } });
    expect(said({ machine })).toEqual([
      "Ready: False Warning UnhealthyNode m",
      "BootstrapReady: True",
      "EtcdMemberHealthy: False Error",
      "HealthCheckSucceeded: False Warning UnhealthyNode m",
      "InfrastructureReady: True",
      "NodeHealthy: True",
    ]);
  });

  const mirrored = {
    status: {
      conditions: [{ type: "Ready", status: "False", severity: "Error", reason: "Quota", message: "m" }],
    },
  };
  it.each<[string, string, Partial<MachineFacts>, string | undefined]>([
    [
      "a word of the config",
      "BootstrapReady",
      { machine: soloMachine(NEW), providers: ready(machineConfig(mirrored)) },
      "False Error Quota m",
    ],
    ["a name that is set", "BootstrapReady", { providers: ready(machineConfig(mirrored)) }, "True"],
    [
      "no config",
      "BootstrapReady",
      { machine: soloMachine({ spec: { bootstrap: { configRef: undefined } } }) },
      undefined,
    ],
    [
      "a word of the infrastructure",
      "InfrastructureReady",
      { providers: ready(machineConfig(), ownInfraMachine(mirrored)) },
      "False Error Quota m",
    ],
    [
      "an object of another",
      "InfrastructureReady",
      { providers: ready(machineConfig(), ownInfraMachine(FOREIGN)) },
      undefined,
    ],
    ["an object that is not there yet", "InfrastructureReady", { providers: GONE }, undefined],
    [
      "an object that cannot be read",
      "InfrastructureReady",
      { providers: { ...ready(), infrastructure: unresolved(true) } },
      undefined,
    ],
    [
      "a deletion before it was ready",
      "InfrastructureReady",
      { machine: soloMachine(GOING), providers: WAITING },
      "False Info Deleting",
    ],
    [
      "a deletion that has removed it",
      "InfrastructureReady",
      { machine: soloMachine(GOING), providers: GONE },
      "False Info Deleted",
    ],
    [
      "a deletion that has removed the config",
      "BootstrapReady",
      { machine: soloMachine(GOING), providers: GONE },
      "False Info Deleted",
    ],
  ])("of a provider object: %s", (_, type, changes, expected) => {
    expect(one(type, changes)).toBe(expected);
  });

  const nodeWith = (...conditions: readonly (readonly [string, string])[]) => ({
    nodes: [
      healthyNode("n1", { status: { conditions: conditions.map(([type, status]) => ({ type, status })) } }),
    ],
  });
  const named = { status: { nodeRef: { name: "n1" } } };
  it.each<[string, Partial<MachineFacts>, string | undefined]>([
    [
      "pressure",
      nodeWith(["MemoryPressure", "True"], ["Ready", "False"]),
      "False Warning NodeConditionsFailed Node condition MemoryPressure is True. Node condition Ready is False",
    ],
    ["silence of one", nodeWith(["DiskPressure", "Unknown"], ["Ready", "True"]), "True"],
    [
      "silence",
      nodeWith(
        ["MemoryPressure", "Unknown"],
        ["DiskPressure", "Unknown"],
        ["PIDPressure", "Unknown"],
        ["Ready", "Unknown"],
      ),
      "Unknown NodeConditionsFailed Node condition MemoryPressure is Unknown. Node condition DiskPressure is Unknown. Node condition PIDPressure is Unknown. Node condition Ready is Unknown",
    ],
    [
      "a Node that is to come",
      { nodes: [] },
      "False Warning NodeProvisioning Waiting for a node with matching ProviderID to exist",
    ],
    ["a Node that is lost", { nodes: [], machine: soloMachine(named) }, "False Error NodeNotFound"],
    ["a Node that went in a deletion", { nodes: [], machine: soloMachine(GOING) }, undefined],
    [
      "two Nodes",
      { nodes: [healthyNode(), healthyNode("n2")] },
      "Unknown NodeInspectionFailed Nodes n1, n2 have the same provider ID foo://1; delete all but one",
    ],
    [
      "no view",
      {
        nodes: undefined,
        machine: soloMachine({
          status: { conditions: [machineCondition("NodeHealthy", "True", "NodeHealthy")] },
        }),
      },
      undefined,
    ],
    [
      "no connection",
      { nodes: undefined, connection: undefined },
      "Unknown NodeInspectionFailed Remote connection not established yet",
    ],
    [
      "infrastructure that goes",
      { providers: ready(machineConfig(), ownInfraMachine(GOING)) },
      "False Info Deleting",
    ],
  ])("of the Node: %s", (_, changes, expected) => {
    expect(one("NodeHealthy", changes)).toBe(expected);
  });
});

describe("a deletion in the sense of v1beta1", () => {
  const DRAINED = "2026-01-01T11:58:00Z";
  const STAGES = [
    "PreDrainDeleteHookSucceeded",
    "DrainingSucceeded",
    "VolumeDetachSucceeded",
    "PreTerminateDeleteHookSucceeded",
  ];

  function going(
    reason: string,
    status: Overrides<Machine>["status"] = {},
    overrides: Overrides<Machine> = {},
  ) {
    return soloMachine({
      ...GOING,
      ...overrides,
      status: { conditions: [machineCondition("Deleting", "True", reason)], ...status },
    });
  }

  function stages(step: MachineStage["step"], machine: Machine) {
    const view = { ...machineViewWith({ machine }), stage: { step, reason: "", message: "" } };
    const list = machineDeprecatedConditions(view);
    return STAGES.map((type) => {
      const { status = "-", severity = "" } = list.find((entry) => entry.type === type) ?? {};
      return `${status}${severity}`;
    }).join(" ");
  }

  const drain = { deletion: { nodeDrainStartTime: DRAINED } };
  const volumes = { deletion: { nodeDrainStartTime: DRAINED, waitForNodeVolumeDetachStartTime: DRAINED } };
  const old = (severity: string) => ({
    ...drain,
    deprecated: { v1beta1: { conditions: [stored("DrainingSucceeded", "False", severity)] } },
  });
  const short = { spec: { deletion: { nodeDrainTimeoutSeconds: 10 } } };
  it.each<[string, MachineStage["step"], Machine, string]>([
    ["a hook before the drain", "pre-drain hooks", going("X"), "FalseInfo - - -"],
    ["a drain that comes", "drain", going("X"), "True - - -"],
    ["a drain", "drain", going("DrainingNode", drain), "True FalseInfo - -"],
    ["volumes", "drain", going("WaitingForVolumeDetach", volumes), "True True FalseInfo -"],
    [
      "a hook behind the drain",
      "pre-terminate hooks",
      going("WaitingForPreTerminateHook", volumes),
      "True True True FalseInfo",
    ],
    ["no Node", "infrastructure", going("X"), "- - - True"],
    [
      "a drain that was said and is done",
      "infrastructure",
      going("WaitingForInfrastructureDeletion", old("Info")),
      "True True - True",
    ],
    [
      "a drain that has run out of time",
      "infrastructure",
      going("WaitingForInfrastructureDeletion", old("Info"), short),
      "True FalseWarning - True",
    ],
    [
      "a drain that lost its turn",
      "infrastructure",
      going("DrainingNode", drain),
      "True FalseWarning - True",
    ],
    [
      "the same, later",
      "infrastructure",
      going("WaitingForInfrastructureDeletion", old("Warning")),
      "True FalseWarning - True",
    ],
    ["something that cannot be read", "unreadable", going("DrainingNode", drain), "- - - -"],
  ])("%s", (_, step, machine, expected) => {
    expect(stages(step, machine)).toBe(expected);
  });
});
