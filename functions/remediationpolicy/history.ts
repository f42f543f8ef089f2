import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../shared/api/indexes.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { type RemediationEntry, RemediationPolicy } from "../../shared/api/remediation-policy.ts";
import { defineFunction, watch } from "../../shared/function/define-function.ts";
import { inCluster, inClusterOf, itself } from "../../shared/function/mappings.ts";
import type { Reader } from "../../shared/function/reads.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { SKIP_FIELDS } from "../../shared/rules/machines/left-alone.ts";
import { isMoved } from "../../shared/rules/machines/remediation-limits.ts";
import { isDeleting } from "../../shared/rules/metadata/deletion.ts";
import { PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { PAUSE_FIELDS, pausedBy } from "../../shared/rules/metadata/paused.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { LEDGER_FIELDS, POLICY_FIELDS } from "./rules/binding.ts";
import { type Found, recordedVerdicts, settled, takenOver } from "./rules/history.ts";
import { ledgerPatch } from "./rules/ledger.ts";

const WRITTEN = [...LEDGER_FIELDS, "status.verdicts"] as const;

export const remediationpolicyHistory = defineFunction(
  {
    name: "remediationpolicy-history",
    summary: "Says in the history of a RemediationPolicy how each remediation has ended.",
    source: "own",
    reconciles: RemediationPolicy,
    actsOn: "living",
    watches: [
      watch(RemediationPolicy, [...POLICY_FIELDS, ...PAUSE_FIELDS], itself),
      watch(Cluster, PAUSING_FIELDS, inCluster),
      watch(
        Machine,
        [
          "metadata.uid",
          ...PAUSE_FIELDS,
          ...SKIP_FIELDS,
          "status.conditions[HealthCheckSucceeded]",
          "status.conditions[OwnerRemediated].status",
        ],
        inClusterOf,
      ),
    ],
    // It changes with the status.
    reads: [{ on: Machine, fields: ["status.conditions[OwnerRemediated].lastTransitionTime"] }],
    owns: [],
    ownsOn: [{ kind: RemediationPolicy, fields: WRITTEN }],
    inTurnWith: ["mhc-machines", "mhc-requests"].map((name) => ({
      function: name,
      on: RemediationPolicy,
      field: "status",
      reason:
        "each writes the whole history in the version that it has read, so that the later one reads again",
    })),
    queue: { settleMs: 100 },
  },
  async (policy, { read, now }) => {
    if (isDeleting(policy)) return { result: done };
    const cluster = await readCluster(read, policy);
    // Without it nothing says whether a move is under way, in which Machines are not there yet.
    if (cluster === undefined) return { result: waitFor("Cluster.metadata.uid") };
    const pause = pausedBy(cluster, policy);
    if (pause !== undefined) return { result: waitFor(pause) };
    const { namespace = "" } = policy.metadata;
    if (isMoved(policy)) {
      const labelSelector = `${CLUSTER_NAME_LABEL}=${policy.spec.clusterName}`;
      const here = await read.live.list(Machine, { namespace, labelSelector });
      return { patch: [ledgerPatch(policy, takenOver(policy, here, now))], result: done };
    }
    const index = { name: "cluster", values: [`${namespace}/${policy.spec.clusterName}`] };
    const machines = await read.list(Machine, { index });
    const byUid = new Map(machines.map((machine) => [machine.metadata.uid, machine]));
    const entries = policy.status?.remediations ?? [];
    const after: RemediationEntry[] = [];
    for (const entry of entries) {
      const known = byUid.get(entry.machine.uid);
      const found =
        known ?? (entry.endedAt === undefined ? await readLive(read, namespace, entry) : "unknown");
      after.push(settled(entry, found, now));
    }
    const verdicts = recordedVerdicts(policy, machines);
    const isSame = after.every((entry, at) => entry === entries[at]);
    if (isSame && verdicts === undefined) return { result: done };
    const patch = ledgerPatch(policy, after);
    const operations =
      verdicts === undefined
        ? patch.operations
        : [...patch.operations, { op: "add" as const, path: "/status/verdicts", value: verdicts }];
    return { patch: [{ ...patch, operations }], result: done };
  },
);

/** A Machine that snapshots lack is gone once the API server says so. */
async function readLive(
  { live }: Pick<Reader, "live">,
  namespace: string,
  { machine: { name, uid } }: RemediationEntry,
): Promise<Found> {
  const found = await live.get(Machine, { namespace, name });
  return found?.metadata.uid === uid ? found : "gone";
}
