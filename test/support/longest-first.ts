import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/** Files that take a minute or more, the longest first: begun last, one alone would keep the run waiting. */
export const LONGEST: readonly string[] = [
  "simulation/play/swarm",
  "system/diagnosis",
  "simulation/readme",
  "simulation/play/regression",
  "system/machine-drain",
  "simulation/play/sweep",
  "simulation/play/run",
  "system/machines-cluster",
  "system/machinepool-hostile",
  "simulation/real/real",
  "system/machineset",
  "system/pool-machines",
  "system/accounts",
  "system/beside-cluster-api",
  "system/readme",
  "system/main-job",
  "system/machinepool-gates",
  "system/machine-deletion",
  "system/machinepool-rules",
  "system/kind-rules",
  "simulation/golden/golden",
  "system/pool-machines-foreign",
  "system/conversion",
  "system/machinepool-scale",
  "system/foreign-provider",
  "system/canaries",
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
