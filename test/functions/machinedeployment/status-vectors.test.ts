import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { deploymentReport } from "../../../functions/machinedeployment/rules/status.ts";
import { statusView } from "../../../functions/machinedeployment/rules/view.ts";
import type { Condition } from "../../../shared/api/conditions.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import { cluster } from "../../support/builders.ts";
import { machineDeployment, setOfDeployment } from "../../support/foo-deployments.ts";
import { setMachine } from "../../support/foo-sets.ts";
import { describeWith } from "../../support/requires.ts";
import { ROLLOUTS } from "../../support/rollouts.ts";
import { inShared, sharedMissing } from "../../support/shared.ts";
import { NOW } from "../../support/world.ts";

const FILE = `${ROLLOUTS}/vectors-status.json`;

type Reported = Pick<Condition, "type" | "status" | "reason" | "message">;

/** A random deployment, and the status that Cluster API's own functions make of it. */
interface StatusVector {
  readonly id: string;
  readonly deployment: {
    readonly replicas: number;
    readonly strategy: "RollingUpdate" | "OnDelete";
    readonly maxSurge?: number | string;
    readonly maxUnavailable?: number | string;
    readonly sets: readonly {
      readonly name: string;
      readonly replicas: number;
      readonly status?: { readonly replicas: number; readonly available: number; readonly upToDate: number };
    }[];
  };
  readonly replicasAbsent?: boolean;
  readonly deleting?: boolean;
  readonly missingTemplates?: readonly string[];
  readonly machines: readonly {
    readonly name: string;
    readonly ageSeconds?: number;
    readonly deletingSinceSeconds?: number;
    readonly drainStartedSecondsAgo?: number;
    readonly conditions?: readonly Reported[];
  }[];
  readonly status: {
    readonly phase: string;
    readonly replicas?: number | null;
    readonly availableReplicas?: number | null;
    readonly upToDateReplicas?: number | null;
    readonly conditions: readonly Reported[];
  };
}

function ago(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : new Date(NOW.getTime() - seconds * 1_000).toISOString();
}

function deploymentOf({ deployment, replicasAbsent, deleting }: StatusVector): MachineDeployment {
  const { strategy: type, replicas, maxSurge, maxUnavailable } = deployment;
  const base = machineDeployment({
    metadata: { deletionTimestamp: deleting === true ? ago(60) : undefined },
    spec: { replicas: replicasAbsent === true ? undefined : replicas },
  });
  const rollingUpdate = type === "OnDelete" ? undefined : { maxSurge, maxUnavailable };
  return { ...base, spec: { ...base.spec, rollout: { strategy: { type, rollingUpdate } } } };
}

function setsOf({ deployment }: StatusVector): readonly MachineSet[] {
  return deployment.sets.map(({ name, replicas, status }) =>
    setOfDeployment(name, {
      spec: { replicas },
      status: status && {
        replicas: status.replicas,
        availableReplicas: status.available,
        upToDateReplicas: status.upToDate,
      },
    }),
  );
}

function machinesOf({ machines }: StatusVector): readonly Machine[] {
  return machines.map(({ name, conditions = [], ...machine }) => {
    const base = setMachine(name);
    const startedAt = ago(machine.drainStartedSecondsAgo);
    return {
      ...base,
      metadata: {
        ...base.metadata,
        creationTimestamp: ago(machine.ageSeconds ?? 3_600),
        deletionTimestamp: ago(machine.deletingSinceSeconds),
      },
      status: {
        conditions: conditions.map((one) => ({ ...one, lastTransitionTime: ago(0) ?? "" })),
        ...(startedAt === undefined ? {} : { deletion: { nodeDrainStartTime: startedAt } }),
      },
    };
  });
}

function missing({ missingTemplates: kinds = [] }: StatusVector): readonly string[] {
  return kinds.length === 0 ? [] : [`${kinds.join(" and ")} ${kinds.length === 1 ? "does" : "do"} not exist`];
}

describeWith(sharedMissing(FILE))("random deployments", () => {
  it("have the status that Cluster API gives them", () => {
    const vectors = JSON.parse(readFileSync(inShared(FILE), "utf8")) as readonly StatusVector[];
    expect(vectors.length).toBe(150);
    for (const vector of vectors) {
      const { status } = deploymentReport(
        statusView({
          deployment: deploymentOf(vector),
          cluster: cluster(),
          sets: setsOf(vector),
          machines: machinesOf(vector),
          templates: missing(vector),
          now: NOW,
        }),
      );
      const conditions = (status.conditions ?? [])
        .filter(({ type }) => type !== "Paused")
        .map(({ type, status: value, reason, message }) => ({ type, status: value, reason, message }))
        .toSorted((a, b) => a.type.localeCompare(b.type));
      const { phase, replicas = null, availableReplicas = null, upToDateReplicas = null } = status;
      const wanted = {
        ...{ replicas: null, availableReplicas: null, upToDateReplicas: null },
        ...vector.status,
      };
      expect({ phase, replicas, availableReplicas, upToDateReplicas, conditions }, vector.id).toEqual({
        phase: wanted.phase,
        replicas: wanted.replicas,
        availableReplicas: wanted.availableReplicas,
        upToDateReplicas: wanted.upToDateReplicas,
        conditions: wanted.conditions.toSorted((a, b) => a.type.localeCompare(b.type)),
      });
    }
  });
});
