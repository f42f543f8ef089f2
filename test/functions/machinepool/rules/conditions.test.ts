import { describe, expect, it } from "vitest";
import { poolStatus } from "../../../../functions/machinepool/rules/status.ts";
import { type PoolFacts, poolView } from "../../../../functions/machinepool/rules/view.ts";
import type { MachinePool, MachinePoolStatus } from "../../../../shared/api/machinepool.ts";
import {
  bootstrapConfig,
  cluster,
  found,
  infraMachinePool,
  machinePool,
  missing,
  node,
  OWNED_BY_P1,
  type ProviderObject,
  unresolved,
} from "../../../support/builders.ts";
import { NOW } from "../../../support/world.ts";

const FOREIGN = { metadata: { ownerReferences: [{ ...OWNED_BY_P1, name: "p2", uid: "uid-p2" }] } };
const NODES = [node("n1"), node("n2"), node("n3")];

/** The condition as `<status> <reason>: <message>`, for a ready pool with what a case changes. */
function conditionIn(
  type: string,
  change: Partial<PoolFacts["providers"]> & { pool?: MachinePool; unseen?: string } = {},
): string {
  const { pool = machinePool(), unseen, ...providers } = change;
  const view = poolView({
    pool,
    cluster: cluster(),
    providers: {
      bootstrap: found(bootstrapConfig()),
      infrastructure: found(infraMachinePool()),
      ...providers,
    },
    nodes: unseen === undefined ? NODES : undefined,
    unseen,
    now: NOW,
  });
  const status: MachinePoolStatus = poolStatus(view);
  const condition = status.conditions?.find((entry) => entry.type === type);
  if (condition === undefined) return "absent";
  return `${condition.status} ${condition.reason}${condition.message === "" ? "" : `: ${condition.message}`}`;
}

/** A bootstrap object with exactly this status. */
function config(status: object): ProviderObject {
  return { ...bootstrapConfig(), status: { ...status } };
}
function infra(status: object): ProviderObject {
  return { ...infraMachinePool(), status: { ...status } };
}
const ready = (status: string, reason?: string, message?: string) => ({
  conditions: [{ type: "Ready", status, reason, message }],
});
const CREATED = { initialization: { dataSecretCreated: true }, dataSecretName: "p1-data" };

describe("Available", () => {
  const NONE = machinePool({ status: { replicas: 3, nodeRefs: undefined, deprecated: undefined } });
  const unseen = "kubeconfig Secret default/c1-kubeconfig does not exist; create it";

  it("says first that there is no infrastructure", () => {
    const infrastructure = found(infra(ready("False", "Broken")));
    expect(conditionIn("Available", { pool: NONE, unseen, infrastructure })).toBe(
      "False NotAvailable: 0 available replicas, 3 desired; InfrastructureReady is not True",
    );
  });
});

describe("BootstrapConfigReady", () => {
  it.each([
    [
      "a copy that is True",
      found(config({ ...CREATED, ...ready("True", "Done", "all well") })),
      "True Done: all well",
    ],
    [
      "a copy that is False, though the flag is true",
      found(config({ ...CREATED, ...ready("False", "Broken", "m") })),
      "False Broken: m",
    ],
    ["a copy that is Unknown", found(config(ready("Unknown", "Looking"))), "Unknown Looking"],
    ["a copy without reason", found(config(ready("False"))), "False NotReady"],
    [
      "a copy that makes no sense",
      found(config(ready("yes"))),
      'Unknown InvalidConditionReported: FooConfig reports condition Ready with status "yes"',
    ],
    ["the flag", found(config(CREATED)), "True Ready"],
    [
      "no flag",
      found(config({})),
      "False NotReady: FooConfig status.initialization.dataSecretCreated is not true",
    ],
    [
      "no flag under contract v1beta1",
      found(config({}), "v1beta1"),
      "False NotReady: FooConfig status.ready is not true",
    ],
    [
      "data without name",
      found(config({ initialization: { dataSecretCreated: true } })),
      "False NotReady: waiting for a valid status.dataSecretName",
    ],
    ["no object", missing(bootstrapConfig()), "False ObjectDoesNotExist: FooConfig p1-config does not exist"],
    [
      "a foreign object",
      found(bootstrapConfig(FOREIGN)),
      "False NotReady: FooConfig p1-config is controlled by MachinePool p2",
    ],
    [
      "an object not adopted yet",
      found(bootstrapConfig({ metadata: { ownerReferences: undefined } })),
      "absent",
    ],
    ["no supported contract", unresolved(true), "Unknown InternalError: CRD of Foo cannot be used"],
  ])("with %s", (_, bootstrap, expected) => {
    expect(conditionIn("BootstrapConfigReady", { bootstrap })).toBe(expected);
  });

  it("is True with the manager's name for an override, and without configRef", () => {
    const overridden = machinePool({
      metadata: { managers: { "spec.template.spec.bootstrap.dataSecretName": ["kubectl-edit"] } },
    });
    const without = machinePool({ spec: { template: { spec: { bootstrap: { configRef: undefined } } } } });
    const bootstrap = found(config(ready("False", "Broken")));
    expect(conditionIn("BootstrapConfigReady", { pool: overridden, bootstrap })).toBe(
      "True DataSecretProvided: data secret name is set by kubectl-edit",
    );
    expect(conditionIn("BootstrapConfigReady", { pool: without, bootstrap: undefined })).toBe(
      "True DataSecretProvided",
    );
  });
});

describe("InfrastructureReady", () => {
  const provisioned = machinePool({ status: { initialization: { infrastructureProvisioned: true } } });

  it.each([
    ["a copy", machinePool(), found(infra({ ready: false, ...ready("True", "Up") })), "True Up"],
    ["the flag", machinePool(), found(infra({ ready: true, replicas: 3 })), "True Ready"],
    ["no flag", machinePool(), found(infra({})), "False NotReady: FooMachinePool status.ready is not true"],
    [
      "no object yet",
      machinePool(),
      missing(infraMachinePool()),
      "False ObjectDoesNotExist: FooMachinePool p1-infra does not exist",
    ],
    [
      "no object any more",
      provisioned,
      missing(infraMachinePool()),
      "False ObjectDeleted: FooMachinePool p1-infra has been deleted while the pool still exists",
    ],
    [
      "a foreign object",
      machinePool(),
      found(infraMachinePool(FOREIGN)),
      "False NotReady: FooMachinePool p1-infra is controlled by MachinePool p2",
    ],
    [
      "no supported contract",
      machinePool(),
      unresolved(false),
      "Unknown InternalError: CRD of Foo cannot be used",
    ],
    [
      "a malformed field",
      machinePool(),
      found(infra({ ready: true, replicas: "3" })),
      "True Ready: status.replicas is not a count",
    ],
  ])("with %s", (_, pool, infrastructure, expected) => {
    expect(conditionIn("InfrastructureReady", { pool, infrastructure })).toBe(expected);
  });
});

describe("Available, ScalingUp and ScalingDown", () => {
  const wanting = (replicas: number | undefined) => machinePool({ spec: { replicas } });

  it.each([
    ["Available", wanting(3), "True Available"],
    ["Available", wanting(2), "True Available"],
    ["Available", wanting(4), "False NotAvailable: 3 available replicas, 4 desired"],
    ["Available", wanting(undefined), "Unknown WaitingForReplicasSet: Waiting for spec.replicas to be set"],
    ["ScalingUp", wanting(4), "True ScalingUp: Scaling up from 3 to 4 replicas"],
    ["ScalingUp", wanting(3), "False NotScalingUp"],
    ["ScalingDown", wanting(2), "True ScalingDown: Scaling down from 3 to 2 replicas"],
    ["ScalingDown", wanting(3), "False NotScalingDown"],
    ["ScalingUp", wanting(undefined), "Unknown WaitingForReplicasSet: Waiting for spec.replicas to be set"],
  ])("%s of three replicas", (type, pool, expected) => {
    expect(conditionIn(type, { pool })).toBe(expected);
  });

  it("wait for the provider's count", () => {
    const infrastructure = found(infra({ ready: false }));
    expect(conditionIn("ScalingDown", { infrastructure })).toBe(
      "Unknown WaitingForReplicasSet: Waiting for status.replicas to be set",
    );
  });

  it("are not available while the infrastructure is not ready", () => {
    const infrastructure = found(infra({ ready: true, replicas: 3, ...ready("False", "Repairing") }));
    expect(conditionIn("Available", { infrastructure })).toBe(
      "False NotAvailable: 3 available replicas, 3 desired; InfrastructureReady is not True",
    );
  });
});
