import { describe, expect, it } from "vitest";
import { detailLines } from "../../../../infra/cli/tree/lines.ts";
import { detailsOf } from "../../../../infra/operate/explain/details.ts";
import type { Condition } from "../../../../shared/api/conditions.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { MachineSet } from "../../../../shared/api/machineset.ts";
import { machine, machineCondition, machinePool, type Overrides } from "../../../support/builders.ts";

const SINCE = "2026-01-01T11:00:00Z";
const HOOK = "pre-drain.delete.hook.machine.cluster.x-k8s.io/migrate";
const DRAIN = [
  `Drain not completed yet (started at ${SINCE}):`,
  "* Pod default/web-1: cannot evict pod as it would violate the pod's disruption budget. The disruption budget web needs 1 healthy pods and has 1 currently",
].join("\n");

/** The lines of a Machine, without colours. */
function textOf(overrides: Overrides<Machine>): readonly string[] {
  return detailLines(detailsOf(Machine, machine("m1", overrides)));
}

function going(condition: Condition | undefined, overrides: Overrides<Machine> = {}): readonly string[] {
  const conditions = condition === undefined ? [] : [condition];
  return textOf({
    ...overrides,
    metadata: { deletionTimestamp: SINCE, ...overrides.metadata },
    status: { nodeRef: { name: "n1" }, conditions, ...overrides.status },
  }).slice(1);
}

describe("the details of a Machine", () => {
  it("name its Node, or why there is none", () => {
    const ready = machineCondition("NodeReady", "True", "NodeReady");
    expect(textOf({ status: { nodeRef: { name: "n1" }, conditions: [ready] } })).toEqual([
      "Node  n1, NodeReady True",
    ]);
    expect(textOf({ status: { nodeRef: { name: "n1" } } })).toEqual(["Node  n1"]);
    const waits = machineCondition("NodeReady", "Unknown", "InspectionFailed", "Waiting for a Node");
    expect(textOf({ status: { conditions: [waits] } })).toEqual(["Node  Waiting for a Node"]);
    expect(textOf({})).toEqual(["Node  the Machine has no provider ID yet"]);
    expect(textOf({ spec: { providerID: "foo://1" } })).toEqual(["Node  none yet"]);
  });

  it("name Pod and budget of a drain, since when it lasts, and what would end it", () => {
    const deletion = { nodeDrainStartTime: SINCE };
    const condition = machineCondition("Deleting", "True", "DrainingNode", DRAIN);
    expect(going(condition, { status: { deletion } })).toEqual([
      `stage  2 of 8, DrainingNode since ${SINCE}`,
      `       Drain not completed yet (started at ${SINCE}):`,
      "       * Pod default/web-1: cannot evict pod as it would violate the pod's disruption budget. The disruption budget web needs 1 healthy pods and has 1 currently",
      "ends   never by itself: spec.deletion.nodeDrainTimeoutSeconds or annotation machine.cluster.x-k8s.io/exclude-node-draining would end it",
    ]);
    const limited = going(condition, {
      status: { deletion },
      spec: { deletion: { nodeDrainTimeoutSeconds: 90 } },
    });
    expect(limited.at(-1)).toBe(
      "ends   at 2026-01-01T11:01:30Z at the latest, by nodeDrainTimeoutSeconds 90",
    );
  });

  it("name each hook, who set it, and how it is released", () => {
    const condition = machineCondition("Deleting", "True", "WaitingForPreDrainHook", "Waiting");
    expect(going(condition, { metadata: { annotations: { [HOOK]: "migrator", other: "" } } })).toEqual([
      "stage  1 of 8, WaitingForPreDrainHook",
      "       Waiting",
      `hook   ${HOOK}, set by migrator`,
      `       released by: kubectl --namespace default annotate machine m1 ${HOOK}-`,
    ]);
  });

  it.each([
    ["WaitingForPreTerminateHook", "4 of 8, WaitingForPreTerminateHook since 2026-01-01T11:30:00Z"],
    ["WaitingForVolumeDetach", "3 of 8, WaitingForVolumeDetach since 2026-01-01T11:20:00Z"],
    ["WaitingForInfrastructureDeletion", "5 of 8, WaitingForInfrastructureDeletion"],
    ["Deleting", "begins"],
  ])("name the stage of %s", (reason, stage) => {
    const deletion = {
      waitForPreTerminateHookStartTime: "2026-01-01T11:30:00Z",
      waitForNodeVolumeDetachStartTime: "2026-01-01T11:20:00Z",
    };
    const [first] = going(machineCondition("Deleting", "True", reason), { status: { deletion } });
    expect(first?.replace(/^stage +/, "")).toBe(stage);
  });

  it("begin before the status says anything", () => {
    expect(going(undefined)).toEqual(["stage  begins"]);
  });

  it("let no foreign text break a line", () => {
    const condition = machineCondition("Deleting", "True", "DrainingNode", "a\u001b[31mb\tc");
    expect(going(condition)[1]).toBe("       a [31mb c");
  });
});

describe("the details of a MachineSet", () => {
  const set = (rest: object, message = ""): KubeObject => ({
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "MachineSet",
    metadata: {
      name: "s",
      namespace: "default",
      annotations: { "capstan.dev/machine-reservation": '["s-bcdfg","s-hjklm"]' },
    },
    ...{
      spec: { replicas: 3 },
      status: { conditions: [machineCondition("ScalingUp", "True", "ScalingUp", message)], ...rest },
    },
  });

  it("count its Machines and name the reserved names", () => {
    expect(detailLines(detailsOf(MachineSet, set({ replicas: 1, readyReplicas: 1 })))).toEqual([
      "Machines  1 of 3, 1 ready, 0 available, 0 up to date",
      "reserved  s-bcdfg, s-hjklm",
    ]);
  });

  it("name the preflight check and the missing template that hold it", () => {
    const message =
      'Scaling up from 0 to 3 replicas is blocked because:\n* FooControlPlane default/cp is upgrading ("ControlPlaneIsStable" preflight check failed)\n* FooTemplate does not exist';
    const [, , blocked] = detailsOf(MachineSet, set({}, message));
    expect(blocked).toEqual({
      about: "blocked",
      lines: message.split("\n"),
      isProblem: true,
      condition: "ScalingUp",
    });
  });
});

it("other kinds have no details", () => {
  expect(detailsOf(MachinePool, machinePool())).toEqual([]);
});
