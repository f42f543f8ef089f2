import type { RemediationEntry, RemediationPolicy } from "../../../shared/api/remediation-policy.ts";

const SECOND = 1_000;

/** Names an entry for as long as it is there. */
export function idOf({ machine, failedAt, startedAt }: RemediationEntry): string {
  return `${machine.uid} ${failedAt} ${startedAt}`;
}

/** Returns the limits of a policy that an entry exceeds beside these others. Times are whole seconds. */
export function exceeded(
  { spec }: RemediationPolicy,
  entry: RemediationEntry,
  others: readonly RemediationEntry[],
): readonly string[] {
  const startedMs = Date.parse(entry.startedAt);
  const within = (seconds: number) => (other: RemediationEntry) => {
    const otherMs = Date.parse(other.startedAt);
    return otherMs > startedMs - seconds * SECOND && otherMs <= startedMs;
  };
  const ofMachine = others.filter(({ machine }) => machine.uid === entry.machine.uid);
  const ofOwner = others.filter(
    ({ controller }) => controller !== undefined && controller === entry.controller,
  );
  const { pacing, retries, cooldownSeconds = 0 } = spec;
  const limits = [
    { what: "pacing", among: others, most: pacing?.maxRemediations, seconds: pacing?.windowSeconds },
    {
      what: "retries.perMachine",
      among: ofMachine,
      most: retries?.perMachine,
      seconds: retries?.windowSeconds,
    },
    {
      what: "retries.perController",
      among: ofOwner,
      most: retries?.perController,
      seconds: retries?.windowSeconds,
    },
  ];
  const isCooling = ofMachine.some(
    ({ endedAt }) =>
      endedAt !== undefined &&
      Date.parse(endedAt) <= startedMs &&
      Date.parse(endedAt) + cooldownSeconds * SECOND > startedMs,
  );
  return [
    ...limits.flatMap(({ what, among, most, seconds }) => {
      if (most === undefined || seconds === undefined) return [];
      const count = 1 + among.filter(within(seconds)).length;
      return count > most ? [`${what} allows ${most} within ${seconds} s, and these are ${count}`] : [];
    }),
    ...(isCooling ? [`its last remediation ended less than ${cooldownSeconds} s before`] : []),
  ];
}
