import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import type {
  RecordedVerdict,
  RemediationEntry,
  RemediationPolicy,
} from "../../../shared/api/remediation-policy.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";

/** A remediation as the histories of policies have it. */
export interface Recorded extends RemediationEntry {
  readonly namespace: string;
}

/**
 * Returns each remediation once, the oldest first: several policies keep an entry of the same one. It is the same while
 * the Machine, the time of its failure and the time of the remediation agree.
 */
export function recordedIn(policies: readonly RemediationPolicy[]): readonly Recorded[] {
  const entries = policies
    .flatMap(({ metadata: { namespace = "" }, status }) =>
      (status?.remediations ?? []).map((entry): Recorded => ({ ...entry, namespace })),
    )
    .toSorted((a, b) => compareText(a.startedAt, b.startedAt));
  return [...Map.groupBy(entries, failureId).values()].flatMap(withoutRepeats);
}

/** Names one failure of one Machine. */
function failureId({ machine: { uid }, failedAt }: Pick<RecordedVerdict, "machine" | "failedAt">): string {
  return `${uid} ${failedAt}`;
}

/** Returns each failed health check that policies have recorded once. */
export function verdictsIn(
  policies: readonly RemediationPolicy[],
): readonly (RecordedVerdict & Pick<Recorded, "namespace">)[] {
  const verdicts = policies.flatMap(({ metadata: { namespace = "" }, status }) =>
    (status?.verdicts ?? []).map((verdict) => ({ ...verdict, namespace })),
  );
  return [...new Map(verdicts.map((verdict) => [failureId(verdict), verdict])).values()];
}

/** Entries of one failure: one that begins while another is under way is of the same remediation. */
function withoutRepeats(entries: readonly Recorded[]): readonly Recorded[] {
  const found: Recorded[] = [];
  for (const entry of entries) {
    const before = found.at(-1);
    const isSame = before !== undefined && (before.endedAt === undefined || before.endedAt > entry.startedAt);
    if (isSame) found.pop();
    // Both say how it has ended; the one that has heard of it first says it here.
    found.push(isSame && before.endedAt !== undefined ? before : entry);
  }
  return found;
}

/** Says which health checks policies name that do not exist: such a name has no effect. */
export function missingChecks(
  policies: readonly RemediationPolicy[],
  checks: readonly MachineHealthCheck[],
): readonly string[] {
  const known = new Set(checks.map(({ metadata }) => `${metadata.namespace} ${metadata.name}`));
  return policies.flatMap(({ metadata: { namespace = "", name }, spec: { healthChecks = [] } }) =>
    healthChecks
      .filter((check) => !known.has(`${namespace} ${check}`))
      .map(
        (check) =>
          `RemediationPolicy ${namespace}/${name} names the MachineHealthCheck ${check}, which does not exist: it has no effect until then`,
      ),
  );
}
