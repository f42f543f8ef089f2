import { describe, expect, it } from "vitest";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import {
  byUrgency,
  deferred,
  hasRecovered,
  isHandedOver,
  MACHINE_DELETING,
  markPatch,
  takeBackPatch,
} from "../../../../shared/rules/machines/remediation.ts";
import { machine, machineCondition, type Overrides } from "../../../support/builders.ts";
import { NOW } from "../../../support/world.ts";

const HANDED_OVER = machineCondition("OwnerRemediated", "False", "WaitingForRemediation");
const OLDER = {
  type: "OwnerRemediated",
  status: "False",
  lastTransitionTime: "2026-01-01T00:00:00Z",
} as const;

/** A Machine with these conditions, behind one that is not looked at. */
function withConditions(...conditions: readonly ReturnType<typeof machineCondition>[]): Machine {
  return machine("m1", {
    status: { conditions: [machineCondition("Ready", "True", "Ready"), ...conditions] },
  });
}

function healthy(status: "True" | "False") {
  return machineCondition("HealthCheckSucceeded", status, "Any");
}

describe("whether health checks have handed a Machine over", () => {
  it.each([
    ["judged unhealthy, and handed over", [healthy("False"), HANDED_OVER], true, false],
    ["healthy again", [healthy("True"), HANDED_OVER], true, true],
    ["unhealthy, and not handed over", [healthy("False")], false, false],
    ["healthy, and never handed over", [healthy("True")], false, false],
    ["not judged", [HANDED_OVER], false, false],
  ])("one that is %s", (_, conditions, handedOver, recovered) => {
    const of = withConditions(...conditions);
    expect([isHandedOver(of), hasRecovered(of)]).toEqual([handedOver, recovered]);
  });
});

describe("the mark of a Machine", () => {
  it("replaces the condition at its index, guarded by uid and resourceVersion; the older copy follows", () => {
    const of = machine("m1", {
      status: {
        conditions: [machineCondition("Ready", "True", "Ready"), HANDED_OVER],
        deprecated: { v1beta1: { conditions: [OLDER] } },
      },
    });
    const [patch] = markPatch(of, MACHINE_DELETING, NOW);
    expect(patch).toMatchObject({
      subresource: "status",
      target: { name: "m1", uid: of.metadata.uid, resourceVersion: of.metadata.resourceVersion },
      operations: [
        {
          op: "replace",
          path: "/status/conditions/1",
          value: { reason: "MachineDeleting", status: "False" },
        },
        {
          op: "replace",
          path: "/status/deprecated/v1beta1/conditions/0",
          value: { type: "OwnerRemediated", status: "True" },
        },
      ],
    });
  });

  it("leaves the older copy when a Machine is only deferred, and keeps the transition time", () => {
    const of = machine("m1", {
      status: { conditions: [HANDED_OVER], deprecated: { v1beta1: { conditions: [OLDER] } } },
    });
    expect(markPatch(of, deferred("upgrading"), NOW).map(({ operations }) => operations)).toMatchObject([
      [
        {
          path: "/status/conditions/0",
          value: { reason: "RemediationDeferred", lastTransitionTime: HANDED_OVER.lastTransitionTime },
        },
      ],
    ]);
  });

  it("is not repeated, and not given to a Machine that was never handed over", () => {
    const marked = { ...HANDED_OVER, reason: MACHINE_DELETING.reason, message: MACHINE_DELETING.message };
    expect(markPatch(withConditions(marked), MACHINE_DELETING, NOW)).toEqual([]);
    expect(markPatch(withConditions(), MACHINE_DELETING, NOW)).toEqual([]);
    expect(markPatch(machine("m1", { status: undefined }), MACHINE_DELETING, NOW)).toEqual([]);
  });

  it("is taken back in both lists, where it is", () => {
    const paths = (overrides: Overrides<Machine>) =>
      takeBackPatch(machine("m1", overrides)).flatMap(({ operations }) =>
        operations.map(({ op, path }) => `${op} ${path}`),
      );
    expect(
      paths({ status: { conditions: [HANDED_OVER], deprecated: { v1beta1: { conditions: [OLDER] } } } }),
    ).toEqual(["remove /status/conditions/0", "remove /status/deprecated/v1beta1/conditions/0"]);
    expect(paths({ status: { conditions: [HANDED_OVER] } })).toEqual(["remove /status/conditions/0"]);
    expect(paths({ status: { conditions: [] } })).toEqual([]);
  });
});

describe("the order of remediation", () => {
  it("is: asked for by a person, then the youngest, then the name", () => {
    const at = (name: string, creationTimestamp: string, annotations?: { readonly [key: string]: string }) =>
      machine(name, { metadata: { creationTimestamp, annotations } });
    const machines = [
      at("c", "2026-01-01T10:00:00Z"),
      at("b", "2026-01-01T10:00:00Z"),
      at("young", "2026-01-01T11:00:00Z"),
      at("asked", "2025-01-01T00:00:00Z", { "cluster.x-k8s.io/remediate-machine": "" }),
    ];
    expect(machines.toSorted(byUrgency).map(({ metadata }) => metadata.name)).toEqual([
      "asked",
      "young",
      "b",
      "c",
    ]);
  });
});
