import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/** Files that take a minute or more, the longest first: begun last, one alone would keep the run waiting. */
export const LONGEST: readonly string[] = [
  "simulation/play/sweep",
  "system/diagnosis",
  "system/hostile-tenants",
  "system/machine-drain",
  "system/machineset",
  "simulation/play/run",
  "system/machines-cluster",
  "simulation/real/real",
  "simulation/play/swarm",
  "system/machinepool-hostile",
  "system/canaries",
  "system/beside-cluster-api",
  "system/pool-machines",
  "system/machinepool-gates",
  "simulation/golden/golden",
  "simulation/play/regression",
  "system/foreign-provider",
  "system/readme",
  "system/conversion",
  "system/machine-deletion",
  "system/main-job",
  "system/cli",
  "system/machinepool-scale",
  "system/pool-machines-foreign",
  "system/processes",
];

/** Place of a file in `LONGEST`; beyond it when it is not there. */
function placeOf({ moduleId }: Pick<TestSpecification, "moduleId">): number {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return place < 0 ? LONGEST.length : place;
}

/**
 * The longest files first, of all projects: files that need a core then run beside files that wait for servers. The
 * others follow as Vitest orders them, so that those that share their modules still follow each other.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
