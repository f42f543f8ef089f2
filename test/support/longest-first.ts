import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/** Files that take a minute or more, the longest first: begun last, one alone would keep the run waiting. */
export const LONGEST: readonly string[] = [
  "simulation/play/sweep",
  "system/diagnosis",
  "simulation/play/swarm",
  "system/readme",
  "simulation/real/real",
  "system/machineset",
  "simulation/play/regression",
  "system/machinepool-hostile",
  "simulation/golden/golden",
  "system/machines-cluster",
  "system/pool-machines",
  "system/machinepool-gates",
  "simulation/readme",
  "system/remediation",
  "system/beside-cluster-api",
  "system/accounts",
  "system/rights-used",
  "system/machine-deletion",
  "system/machine-drain",
  "system/kubeconfig",
  "system/hostile-tenants",
  "infra/relay/watch/watch-loop",
  "system/dead-letter",
  "system/health-checks",
  "system/machine",
  "system/explain",
  "system/main-job",
  "system/machinepool-rules",
  "system/foreign-provider",
  "system/pool-machines-foreign",
  "system/kind-rules",
  "system/manifests",
  "system/cli",
  "system/writes",
  "system/processes",
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
