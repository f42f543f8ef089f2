import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/** Files that take half a minute or more, the longest first: begun last, one alone would keep the run waiting. */
export const LONGEST: readonly string[] = [
  "simulation/play/regression",
  "system/readme",
  "simulation/golden/golden",
  "browser/scenes",
  "system/parts-away",
  "system/takeover",
  "system/diagnosis",
  "system/chart",
  "system/contract-probe",
  "system/clusterctl-move",
  "simulation/real/real",
  "system/manager",
  "system/explain",
  "system/kustomize",
  "system/server-side-apply",
  "system/kubeadm-providers",
  "system/machineset",
  "system/dead-letter",
  "system/machinepool-hostile",
  "simulation/play/sweep",
  "system/clusterctl-install",
  "system/contract-probe-cluster-api",
  "system/rights-used",
  "system/machines-cluster",
  "infra/deploy/build",
  "system/machine-deletion",
  "system/machinedeployment-rollout",
  "system/health-checks",
  "system/health-reported",
  "system/accounts",
  "system/canaries",
  "system/admission",
  "system/completion",
  "system/manifests",
  "system/rollout",
  "system/kind-rules",
  "simulation/defects/search",
  "system/machinedeployment",
  "system/cli",
  "system/v1beta1",
  "system/remediation",
  "system/machine-drain",
  "system/beside-cluster-api",
  "simulation/play/swarm",
  "simulation/readme",
  "system/clusterctl-readme",
  "system/clusterctl-move-plan",
  "system/kubeconfig",
  "system/lambda",
  "system/main-job",
  "browser/living-queue",
  "browser/living-letters",
  "browser/living-up",
  "system/machinepool-rules",
  "system/listeners",
  "system/machine",
  "system/observation",
  "system/workload-relays",
  "system/pool-machines-foreign",
  "simulation/oracles/planted",
  "system/health-checks-restart",
  "infra/deploy/image/image",
  "system/clusterctl-upgrade",
  "infra/queue/scaling-outages",
  "system/hostile-tenants",
  "system/writes",
  "system/contract-live",
  "system/clusterresourceset",
  "system/pool-machines",
  "system/console-trust",
  "infra/queue/backends/sqs/sqs-outages",
  "system/queue-commands",
  "infra/queue/backends/redis/bullmq/bullmq-outages",
  "system/clusterctl-cluster",
  "system/clusterctl-foreign",
  "system/clusterctl-describe",
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
