import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import type { World } from "../play/world.ts";
import { CHECKS, MACHINES, REQUESTS, requestOf } from "./hand-over-writes.ts";
import { limitOf } from "./health-limit.ts";
import { isTarget } from "./judged-targets.ts";
import type { Oracle } from "./oracle.ts";

/** Hand-overs by health checks: F-30, F-31. */
export const healthChecks: readonly Oracle[] = [
  {
    number: "F-30",
    title: "a request has the name of the only Machine that owns it",
    needs: { workloads: ["W-27"], why: "no external controller remediates" },
    watch({ onChange, violated, evaluated }) {
      onChange(({ type, before, after }) => {
        if (type !== REQUESTS || before !== undefined || after === undefined) return;
        evaluated();
        const { name, ownerReferences: owners = [] } = after.metadata;
        if (owners.length !== 1 || owners[0]?.kind !== "Machine" || owners[0].name !== name)
          violated(`request ${name} belongs to ${owners.map((owner) => owner.name).join()}`);
      });
    },
  },
  {
    number: "F-31",
    title: "no more targets of a health check are in flight than its limit allows, whatever they seem to be",
    needs: {
      workloads: ["W-26", "W-27", "W-28", "W-30"],
      why: "no health check has a limit",
    },
    watch({ world, onChange, violated, evaluated }) {
      /** The most targets that a check has had: one that goes leaves a place that a percentage still counts. */
      const most = new Map<string, number>();
      onChange(({ type, before, after }) => {
        if (type !== MACHINES && type !== REQUESTS) return;
        for (const check of allOf<MachineHealthCheck>(world, CHECKS)) {
          const targets = targetsOf(world, check);
          const { uid = "", name } = check.metadata;
          most.set(uid, Math.max(most.get(uid) ?? 0, targets.length));
          const { upper: limit } = limitOf(check, most.get(uid) ?? 0);
          const started = startedBy(before, after);
          if (!Number.isFinite(limit) || !targets.some(({ metadata }) => metadata.name === started)) continue;
          evaluated();
          const flying = targets.filter((machine) => isInFlight(world, machine));
          if (flying.length > limit) {
            const names = flying.map(({ metadata }) => metadata.name).join();
            violated(`${flying.length} targets of ${name} are in flight, allowed are ${limit}: ${names}`);
          }
        }
      });
    },
  },
];

function allOf<T extends KubeObject>({ management }: World, type: string): readonly T[] {
  const all = management.storage.collection(type).values();
  return [...all] as readonly KubeObject[] as readonly T[];
}

/** Name of the Machine whose remediation begins with this change. */
function startedBy(before: KubeObject | undefined, after: KubeObject | undefined): string | undefined {
  if (after === undefined) return undefined;
  const begins =
    after.kind === "Machine"
      ? isWithOwner(after as Machine) && !(before !== undefined && isWithOwner(before as Machine))
      : before === undefined;
  return begins ? after.metadata.name : undefined;
}

function targetsOf(world: World, check: MachineHealthCheck): readonly Machine[] {
  return allOf<Machine>(world, MACHINES).filter((machine) => isTarget(check, machine));
}

function isInFlight(world: World, machine: Machine): boolean {
  return isWithOwner(machine) || requestOf(world, machine) !== undefined;
}

function isWithOwner({ metadata, status }: Machine): boolean {
  const isOwned = metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
  return isOwned && conditionOf(status?.conditions, "OwnerRemediated")?.status === "False";
}
