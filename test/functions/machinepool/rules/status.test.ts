import { describe, expect, it } from "vitest";
import { deletingPoolReport, poolStatus } from "../../../../functions/machinepool/rules/status.ts";
import { poolView } from "../../../../functions/machinepool/rules/view.ts";
import type { MachinePoolStatus } from "../../../../shared/api/machinepool.ts";
import type { MachineProviders } from "../../../../shared/rules/providers/machine-providers.ts";
import {
  bootstrapConfig,
  cluster,
  found,
  infraMachinePool,
  machinePool,
  missing,
  node,
  OWNED_BY_P1,
  unresolved,
} from "../../../support/builders.ts";
import { NOW } from "../../../support/world.ts";

const FOREIGN = { metadata: { ownerReferences: [{ ...OWNED_BY_P1, name: "p2", uid: "uid-p2" }] } };
const LEAVING = { metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } };
const NODES = [node("n1"), node("n2"), node("n3")];

/** Everything a status may hold that is carried on from the previous one. */
const FULL: MachinePoolStatus = {
  phase: "Running",
  initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true },
  nodeRefs: [{ apiVersion: "v1", kind: "Node", name: "n1", uid: "uid-n1" }],
  replicas: 7,
  readyReplicas: 6,
  availableReplicas: 5,
  upToDateReplicas: 4,
  versions: [{ version: "v1.33.0", replicas: 7 }],
  observedGeneration: 1,
  conditions: [
    {
      type: "example.com/Mine",
      status: "True",
      reason: "Mine",
      message: "",
      lastTransitionTime: "2026-01-01T08:00:00Z",
    },
  ],
  deprecated: {
    v1beta1: {
      failureReason: "Old",
      failureMessage: "old",
      readyReplicas: 3,
      availableReplicas: 2,
      unavailableReplicas: 5,
      conditions: [{ type: "Mine", status: "True", lastTransitionTime: "2026-01-01T08:00:00Z" }],
    },
  },
};
const POOL = machinePool({ status: FULL });

function statusWith(providers: Partial<MachineProviders>, nodes: typeof NODES | undefined = undefined) {
  const ready = { bootstrap: found(bootstrapConfig()), infrastructure: found(infraMachinePool()) };
  const all = { ...ready, ...providers };
  return poolStatus(poolView({ pool: POOL, cluster: cluster(), providers: all, nodes, now: NOW }));
}

describe("poolStatus", () => {
  it.each([
    [
      "missing objects",
      { bootstrap: missing(bootstrapConfig()), infrastructure: missing(infraMachinePool()) },
    ],
    ["objects without contract", { bootstrap: unresolved(true), infrastructure: unresolved(true) }],
    [
      "foreign objects",
      { bootstrap: found(bootstrapConfig(FOREIGN)), infrastructure: found(infraMachinePool(FOREIGN)) },
    ],
  ])("carries every value on for %s and an unseen workload cluster", (_, providers) => {
    const { conditions, deprecated, observedGeneration, ...values } = statusWith(providers);
    const { conditions: _c, deprecated: _d, observedGeneration: _o, ...previous } = FULL;
    expect(values).toEqual(previous);
    expect(observedGeneration).toBe(2);
    expect(conditions).toContainEqual(FULL.conditions?.[0]);
    expect(deprecated?.v1beta1?.conditions).toContainEqual(FULL.deprecated?.v1beta1?.conditions?.[0]);
    expect(deprecated?.v1beta1).toMatchObject({
      readyReplicas: 3,
      availableReplicas: 2,
      unavailableReplicas: 5,
    });
  });

  it("keeps flags and replicas of objects that are being deleted", () => {
    const leaving = {
      bootstrap: found(bootstrapConfig(LEAVING)),
      infrastructure: found(infraMachinePool(LEAVING)),
    };
    expect(statusWith(leaving)).toMatchObject({ initialization: FULL.initialization, replicas: 7 });
  });

  it("takes all counters from one view, never negative", () => {
    const status = statusWith(
      { infrastructure: found(infraMachinePool({ status: { replicas: 1 } })) },
      NODES,
    );
    expect(status).toMatchObject({
      replicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      upToDateReplicas: 3,
    });
    expect(status.deprecated?.v1beta1).toMatchObject({ readyReplicas: 3, availableReplicas: 3 });
    expect(status.deprecated?.v1beta1?.unavailableReplicas).toBeUndefined();
  });

  it("leaves out the unknown values of a pool without status", () => {
    const pool = machinePool();
    const providers = { bootstrap: missing(bootstrapConfig()), infrastructure: missing(infraMachinePool()) };
    const facts = { pool, cluster: cluster(), providers, nodes: undefined, now: NOW };
    const status = poolStatus(poolView(facts));
    expect(JSON.parse(JSON.stringify(status))).toEqual({
      phase: "Pending",
      observedGeneration: 2,
      conditions: expect.any(Array),
      deprecated: { v1beta1: { conditions: expect.any(Array) } },
    });
  });
});

describe("the status of a pool that is not worked on", () => {
  it("keeps refs, counters and failures while deleting", () => {
    const providers = { bootstrap: undefined, infrastructure: missing(infraMachinePool()) };
    const { status } = deletingPoolReport({ pool: POOL, cluster: cluster(), providers, now: NOW });
    expect(status).toEqual({
      ...FULL,
      phase: "Deleting",
      observedGeneration: 2,
      conditions: expect.any(Array),
    });
    expect(status.conditions?.map(({ type }) => type)).toEqual(["example.com/Mine", "Paused", "Deleting"]);
  });
});
