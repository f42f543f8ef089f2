import { describe, expect, it } from "vitest";
import {
  controlPlaneAvailable,
  controlPlaneInitialized,
  infrastructureReady,
} from "../../../../functions/cluster/rules/provider-conditions.ts";
import type { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import type { Referenced } from "../../../../shared/contract/referenced.ts";
import { condition } from "../../../../shared/rules/conditions/conditions.ts";
import { cluster } from "../../../support/builders.ts";
import {
  deletedCluster,
  fooCluster,
  fooControlPlane,
  found,
  missing,
  TOPOLOGY,
  unresolved,
} from "../../../support/foo-cluster.ts";

const NOT_YET = condition("ControlPlaneInitialized", "False", "NotInitialized", "not yet");
const INITIALIZED = condition("ControlPlaneInitialized", "True", "Initialized");

interface Facts {
  readonly latched?: boolean;
  readonly problems?: readonly string[];
  readonly withoutTopology?: string;
}

function text({ status, reason, message }: ReturnType<typeof condition>): string {
  return `${status} ${reason} ${message}`.trim();
}

function infra(provider: Referenced | undefined, facts: Facts = {}, of: Cluster = cluster()): string {
  return text(infrastructureReady(of, { provider, latched: false, problems: [], ...facts }));
}

function available(provider: Referenced | undefined, facts: Facts = {}, of: Cluster = cluster()): string {
  return text(controlPlaneAvailable(of, { provider, latched: false, problems: [], ...facts }, NOT_YET));
}

describe("infrastructureReady", () => {
  it.each([
    [
      "v1beta2 place first",
      {
        v1beta2: { conditions: [{ type: "Ready", status: "False", reason: "New", message: "new" }] },
        conditions: [{ type: "Ready", status: "True" }],
      },
      "False New new",
    ],
    [
      "v1beta1 style with severity",
      {
        conditions: [{ type: "Ready", status: "False", severity: "Error", reason: "Quota", message: "full" }],
      },
      "False Quota full",
    ],
    ["a missing reason", { conditions: [{ type: "Ready", status: "False" }] }, "False NoReasonReported"],
    ["a missing reason of True", { conditions: [{ type: "Ready", status: "True" }] }, "True Ready"],
  ])("mirrors Ready: %s", (_, status, expected) => {
    expect(infra(found({ ...fooCluster(), status }), { latched: true })).toBe(expected);
  });

  it.each([
    [{ type: "Ready" }],
    [{ type: "Ready", status: "Maybe" }],
    [{ type: "Ready", status: "True", lastTransitionTime: "noon" }],
  ])("says so of a condition that cannot be read: %o", (reported) => {
    expect(infra(found({ ...fooCluster(), status: { conditions: [reported] } }))).toMatch(
      /^Unknown InvalidConditionReported FooCluster reports condition Ready with /,
    );
  });

  it("follows the latch, not the flag, without such a condition", () => {
    expect(infra(found(fooCluster()))).toBe(
      "False NotReady FooCluster status.initialization.provisioned is false",
    );
    expect(infra(found(fooCluster({ status: undefined })), { latched: true })).toBe("True Ready");
  });

  it("reports malformed fields and keeps the other reports of the object", () => {
    expect(infra(found(fooCluster()), { problems: ["status.ready is not a boolean"] })).toBe(
      "False NotReady status.ready is not a boolean",
    );
    const status = { conditions: [{ type: "Ready", status: "True", reason: "Ready", message: "fine" }] };
    expect(infra(found({ ...fooCluster(), status }), { problems: ["bad"] })).toBe("True Ready fine\nbad");
  });

  it.each([
    ["never existed", cluster(), false, "False ObjectDoesNotExist FooCluster does not exist"],
    [
      "was deleted",
      cluster(),
      true,
      "False ObjectDeleted FooCluster has been deleted while the cluster still exists",
    ],
    [
      "never existed, deleting",
      deletedCluster(),
      false,
      "False ObjectDoesNotExist FooCluster does not exist",
    ],
    ["is gone, deleting", deletedCluster(), true, "False ObjectDeleted FooCluster has been deleted"],
  ])("reports that the object %s", (_, of, latched, expected) => {
    expect(infra(missing("FooCluster"), { latched }, of)).toBe(expected);
  });

  it("is True without infra object", () => {
    expect(infra(undefined, {}, cluster({ spec: { infrastructureRef: undefined } }))).toBe("True Ready");
  });

  it("says what a topology is to bring, and nothing while deleting", () => {
    const spec = { topology: TOPOLOGY, infrastructureRef: undefined };
    expect(infra(undefined, {}, cluster({ spec }))).toBe(
      "False ObjectDoesNotExist Waiting for cluster topology to be reconciled",
    );
    const withoutTopology = "no topology controller runs";
    expect(infra(undefined, { withoutTopology }, cluster({ spec }))).toBe(
      `False ObjectDoesNotExist ${withoutTopology}`,
    );
    expect(infra(undefined, { withoutTopology }, deletedCluster({ spec }))).toBe("False ObjectDoesNotExist");
  });
});

describe("controlPlaneAvailable", () => {
  it("mirrors Available and follows the latch without it", () => {
    const status = {
      conditions: [{ type: "Available", status: "False", reason: "EtcdDown", message: "etcd" }],
    };
    expect(available(found({ ...fooControlPlane(), status }), { latched: true })).toBe("False EtcdDown etcd");
    expect(available(found(fooControlPlane()), { latched: true })).toBe("True Available");
    expect(available(found(fooControlPlane()))).toBe(
      "False NotAvailable FooControlPlane status.initialization.controlPlaneInitialized is false",
    );
  });

  it("reports that the object was deleted", () => {
    expect(available(missing("FooControlPlane"), { latched: true })).toBe(
      "False ObjectDeleted FooControlPlane has been deleted while the cluster still exists",
    );
  });

  it("follows ControlPlaneInitialized without control plane object", () => {
    const alone = cluster({ spec: { controlPlaneRef: undefined } });
    const facts = { provider: undefined, latched: false, problems: [] };
    expect(text(controlPlaneAvailable(alone, facts, INITIALIZED))).toBe("True Available");
    expect(text(controlPlaneAvailable(alone, facts, NOT_YET))).toBe("False NotAvailable not yet");
  });
});

describe("controlPlaneInitialized", () => {
  function initialized(provider: Referenced | undefined, of: Cluster = cluster(), hasNode = false): string {
    return text(controlPlaneInitialized(of, provider, { hasNode }));
  }

  it("comes from the flag of the object's contract, never from status.ready", () => {
    expect(initialized(found(fooControlPlane()))).toBe("True Initialized");
    const only = (status: object) => ({ ...fooControlPlane(), status: { ...status } });
    expect(initialized(found(only({ initialized: true }), "v1beta1"))).toBe("True Initialized");
    for (const contract of ["v1beta1", "v1beta2"] as const) {
      expect(initialized(found(only({ ready: true }), contract))).toBe(
        "False NotInitialized Control plane not yet initialized",
      );
    }
  });

  it.each([
    ["is missing", missing("FooControlPlane"), "Unknown ObjectDoesNotExist FooControlPlane does not exist"],
    [
      "cannot be read",
      unresolved(),
      "Unknown InternalError CustomResourceDefinition of FooCluster has no label",
    ],
    [
      "has a flag of a wrong type",
      found(fooControlPlane({ status: { initialization: { controlPlaneInitialized: "yes" } } })),
      "Unknown InternalError status.initialization.controlPlaneInitialized is not a boolean",
    ],
    [
      "is not ours",
      found(fooControlPlane({ metadata: { ownerReferences: undefined } })),
      "False NotInitialized Control plane not yet initialized",
    ],
  ])("says so when the object %s", (_, provider, expected) => {
    expect(initialized(provider)).toBe(expected);
  });

  it("survives everything once it is True", () => {
    const stored = {
      type: "ControlPlaneInitialized",
      status: "True",
      reason: "Initialized",
      message: "",
      lastTransitionTime: "2026-01-01T11:00:00Z",
    } as const;
    const status = { conditions: [stored] };
    for (const each of [cluster({ status }), deletedCluster({ status })]) {
      for (const provider of [
        missing("FooControlPlane"),
        unresolved(),
        found(fooControlPlane({ status: undefined })),
      ]) {
        expect(initialized(provider, each)).toBe("True Initialized");
      }
    }
  });

  it("needs a Node of a control plane Machine without control plane object", () => {
    const alone = cluster({ spec: { controlPlaneRef: undefined } });
    expect(initialized(undefined, alone, true)).toBe("True Initialized");
    expect(initialized(undefined, alone)).toBe(
      "False NotInitialized Waiting for the first control plane machine to have status.nodeRef set",
    );
  });
});
