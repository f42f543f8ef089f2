import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/** Files that take half a minute or more, the longest first: begun last, one alone would keep the run waiting. */
export const LONGEST: readonly string[] = [
  "system/takeover",
  "system/diagnosis",
  "system/contract-probe",
  "system/clusterctl-move",
  "system/readme",
  "simulation/real/real",
  "system/manager",
  "system/kustomize",
  "system/machinepool-hostile",
  "simulation/play/sweep",
  "system/clusterctl-install",
  "system/contract-probe-cluster-api",
  "system/rights-used",
  "system/accounts",
  "system/machineset",
  "system/beside-cluster-api",
  "simulation/play/swarm",
  "simulation/readme",
  "system/clusterctl-readme",
  "system/clusterctl-move-plan",
  "system/machine-deletion",
  "system/kubeconfig",
  "system/pool-machines",
  "browser/living-up",
  "simulation/oracles/planted",
  "system/health-checks-restart",
  "system/main-job",
  "infra/deploy/image/image",
  "system/clusterctl-upgrade",
  "simulation/play/regression",
  "system/machines-cluster",
  "infra/queue/scaling-outages",
  "system/health-checks",
  "system/remediation",
  "system/health-reported",
  "system/hostile-tenants",
  "system/v1beta1",
  "simulation/golden/golden",
  "system/foreign-provider",
  "system/lambda",
  "infra/deploy/build",
  "system/workload-relays",
  "infra/queue/backends/sqs/sqs-outages",
  "infra/queue/backends/redis/bullmq/bullmq-outages",
  "system/explain",
  "system/processes",
  "system/clusterctl-cluster",
  "system/machine",
  "system/pool-machines-foreign",
  "system/listeners",
  "system/console-trust",
  "system/clusterctl-foreign",
  "system/writes",
  "system/contract-live",
  "system/clusterctl-describe",
  "system/machinepool-rules",
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
