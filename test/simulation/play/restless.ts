import { MachinePool } from "../../../shared/api/machinepool.ts";
import { seeded } from "../kernel/seeded.ts";
import { hasNodes, scale } from "../workloads/pools.ts";
import type { Workload } from "../workloads/workload.ts";
import type { User } from "./user.ts";

const EDITS = 8;
const MINUTE = 60_000;

/**
 * A workload whose users continue: they scale the pool again and again, always waiting for what they have asked for, so
 * that a run without faults creates and deletes exactly as much. Which edits, says `edits`.
 */
export function restless(workload: Workload, edits: number): Workload {
  return {
    ...workload,
    async run(user: User) {
      await workload.run(user);
      if (workload.hasNoPool === true) return;
      const isOver = (): boolean => user.hasDeleted(MachinePool, "p1");
      const chance = seeded(edits, `edits of ${workload.number}`);
      for (let edit = 0; edit < EDITS && !isOver(); edit += 1) {
        await user.rest(MINUTE + chance.below(4 * MINUTE));
        const replicas = 1 + chance.below(6);
        await (workload.scale ?? scale)(user, replicas);
        await user.until(() => hasNodes(user, replicas));
      }
    },
  };
}
