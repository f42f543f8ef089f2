import type { Manifest } from "../deployment.ts";
import { clusterRole } from "../rbac.ts";
import { processAccount } from "./accounts.ts";
import { admissionPolicy } from "./admission.ts";
import { diagnosticsService, disruptionBudget, PRIORITIES, processDeployment } from "./deployments.ts";
import type { Folder } from "./kustomization.ts";
import { networkPolicies } from "./network.ts";
import { NAMESPACE, PART_OF, type ServerProcess, serverProcesses } from "./processes.ts";
import { redis } from "./redis.ts";
import { WEBHOOK, webhook } from "./webhook.ts";

const RESTRICTED = Object.fromEntries(
  ["enforce", "audit", "warn"].map((mode) => [`pod-security.kubernetes.io/${mode}`, "restricted"]),
);

/** Returns the base: the whole of a deployment but CustomResourceDefinitions and Secrets. */
export async function base(): Promise<Folder> {
  const processes = await serverProcesses();
  const metadata = { name: NAMESPACE, labels: { ...PART_OF, ...RESTRICTED } };
  return {
    kind: "Kustomization",
    files: {
      namespace: [{ apiVersion: "v1", kind: "Namespace", metadata }],
      ...filesOf(processes),
      admission: admissionPolicy(NAMESPACE),
      diagnostics: [DIAGNOSTICS_READER],
      network: networkPolicies(),
      priorities: PRIORITIES,
      redis: redis(),
      [WEBHOOK]: webhook(),
    },
  };
}

/** Returns a file for each process, with everything that it needs for itself. */
export function filesOf(processes: readonly ServerProcess[]): Folder["files"] {
  return Object.fromEntries(
    processes.map((process) => [
      process.name,
      [
        ...processAccount(process),
        processDeployment(process),
        disruptionBudget(process),
        diagnosticsService(process),
      ],
    ]),
  );
}

/** Lets its holder read the diagnostics: for the account of Prometheus or of an autoscaler. */
const DIAGNOSTICS_READER: Manifest = {
  ...clusterRole("capstan-diagnostics-reader", []),
  rules: [{ nonResourceURLs: ["/keys", "/metrics", "/scale", "/status"], verbs: ["get"] }],
};
