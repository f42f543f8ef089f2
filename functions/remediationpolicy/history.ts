import {
  CLUSTER_NAME_LABEL,
  Machine,
  type RemediationEntry,
  RemediationPolicy,
} from "../../shared/api/entry.ts";
import {
  defineFunction,
  done,
  hasCluster,
  inClusterOf,
  itself,
  living,
  PAUSE_FIELDS,
  type Reader,
  turn,
  unpaused,
  watch,
} from "../../shared/function/define-function.ts";
import { SKIP_FIELDS } from "../../shared/rules/machines/left-alone.ts";
import { isMoved } from "../../shared/rules/machines/remediation-limits.ts";
import { LEDGER_FIELDS, POLICY_FIELDS, policyBinding } from "./rules/binding.ts";
import { type Found, recordedVerdicts, settled, takenOver } from "./rules/history.ts";
import { ledgerPatch } from "./rules/ledger.ts";

const WRITTEN = [...LEDGER_FIELDS, "status.verdicts"] as const;

export const remediationpolicyHistory = defineFunction(
  {
    name: "remediationpolicy-history",
    summary: "Records in the history of a RemediationPolicy how each remediation ended.",
    source: "own",
    reconciles: RemediationPolicy,
    actsOn: "living",
    // Without its Cluster nothing says whether a move is under way, in which Machines are not there yet.
    when: [living, hasCluster, unpaused],
    watches: [
      watch(RemediationPolicy, POLICY_FIELDS, itself),
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
    ownsOn: [{ kind: RemediationPolicy, fields: WRITTEN }],
    inTurnWith: [
      turn(["mhc-machines", "mhc-requests"], RemediationPolicy, "status", policyBinding.writes.reason),
    ],
    queue: { settleMs: 100 },
  },
  async (policy, { read, now }) => {
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
