import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { RemediationEntry, RemediationPolicy } from "../../../shared/api/remediation-policy.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import type { World } from "../play/world.ts";
import { type HandOverWrite, onHandOver, POLICIES, REQUESTS } from "./hand-over-writes.ts";
import type { Needs, Oracle } from "./oracle.ts";
import { exceeded, idOf } from "./policy-limits.ts";
import { serverHistoryOf } from "./server-history.ts";

const needs: Needs = { workloads: ["W-28"], why: "there is no RemediationPolicy" };
const SECOND = 1_000;

/** Remediation that a RemediationPolicy limits: F-38. */
export const policies: readonly Oracle[] = [
  {
    number: "F-38",
    title: "the history of a policy gets no entry that its pacing, cooldown or retry budget does not allow",
    needs,
    watch({ world, onChange, violated, evaluated }) {
      /** By uid of the policy: every entry that it has ever had, in its latest form. */
      const known = new Map<string, Map<string, RemediationEntry>>();
      // An entry that a restored server has lost counts no more.
      world.management.onRestore(() => known.clear());
      onChange(({ type, after }) => {
        if (type !== POLICIES || after === undefined) return;
        const policy = after as unknown as RemediationPolicy;
        const { uid = "", name } = policy.metadata;
        const entries = known.get(uid) ?? new Map<string, RemediationEntry>();
        for (const entry of policy.status?.remediations ?? []) {
          const isNew = !entries.has(idOf(entry));
          const others = [...entries].filter(([id]) => id !== idOf(entry)).map(([, other]) => other);
          entries.set(idOf(entry), entry);
          if (!isNew) continue;
          evaluated();
          for (const limit of exceeded(policy, entry, others))
            violated(`${name} has ${entry.machine.name} in its history: ${limit}`);
        }
        known.set(uid, entries);
      });
    },
  },
  {
    number: "F-38",
    title: "a remediation that a policy binds starts only with an entry of that failure in its history",
    needs,
    watch({ world, violated, evaluated }) {
      const history = serverHistoryOf(world);
      onHandOver(world, (handOver) => {
        const { run, write, machines } = handOver;
        if (isEscalation(handOver, world)) return;
        const failures = machines.map((machine) => failureOf(machine));
        for (const key of history.keys(POLICIES)) {
          const versions = history.since(POLICIES, key, run.startedInStep) as readonly (
            | RemediationPolicy
            | undefined
          )[];
          // One that has just come may not be seen yet.
          if (!versions.every((policy) => binds(policy, handOver, versions[0]?.metadata.uid))) continue;
          if (isYoung(versions[0], world)) continue;
          evaluated();
          const entries = versions.flatMap((policy) => policy?.status?.remediations ?? []);
          const isEntered = entries.some(
            (entry) => entry.endedAt === undefined && failures.includes(idOfFailure(entry)),
          );
          if (!isEntered) violated(`without an entry in ${key}: ${write.title}`);
        }
      });
    },
  },
  {
    number: "F-38",
    title:
      "the owner takes over from an external controller only when that gives up, or when a policy says so",
    needs: { ...needs, workloads: ["W-27", "W-28"] },
    watch({ world, violated, evaluated }) {
      const history = serverHistoryOf(world);
      onHandOver(world, (handOver) => {
        if (!isEscalation(handOver, world)) return;
        evaluated();
        const { run, write, machines } = handOver;
        const [machine] = machines;
        const older = conditionOf(machine?.status?.deprecated?.v1beta1?.conditions, "OwnerRemediated");
        if (older?.status === "False") return;
        const key = `${write.place.namespace}/${write.place.name}`;
        const requests = history.since(REQUESTS, key, run.startedInStep);
        const since = history
          .keys(POLICIES)
          .flatMap((policy) => history.since(POLICIES, policy, run.startedInStep));
        const nowMs = run.record?.clock?.getTime() ?? 0;
        const isDue = (since as readonly (RemediationPolicy | undefined)[]).some(
          (policy) => policy !== undefined && requests.some((request) => isOver(policy, request, nowMs)),
        );
        if (!isDue) violated(`no policy takes it from its controller: ${write.title}`);
      });
    },
  },
];

/** To the owner of a Machine that is an external controller's. */
function isEscalation({ to, check, write, run }: HandOverWrite, world: World): boolean {
  const key = `${write.place.namespace}/${write.place.name}`;
  const requests = serverHistoryOf(world).since(REQUESTS, key, run.startedInStep);
  return (
    to === "owner" &&
    check.spec.remediation?.templateRef !== undefined &&
    requests.some((each) => each !== undefined)
  );
}

function binds(
  policy: RemediationPolicy | undefined,
  { check }: HandOverWrite,
  uid: string | undefined,
): boolean {
  const { metadata, spec } = policy ?? {};
  return (
    metadata !== undefined &&
    metadata.uid === uid &&
    metadata.deletionTimestamp === undefined &&
    spec?.clusterName === check.spec.clusterName &&
    spec.healthChecks?.includes(check.metadata.name) !== false
  );
}

/** A relay may be so late. */
const SEEN_MS = 120 * SECOND;

function isYoung(policy: RemediationPolicy | undefined, { kernel }: World): boolean {
  return Date.parse(policy?.metadata.creationTimestamp ?? "") + SEEN_MS > kernel.now;
}

function failureOf(machine: Machine | undefined): string {
  const failure = conditionOf(machine?.status?.conditions, "HealthCheckSucceeded");
  return `${machine?.metadata.uid} ${failure?.lastTransitionTime}`;
}

function idOfFailure({ machine, failedAt }: RemediationEntry): string {
  return `${machine.uid} ${failedAt}`;
}

/** Whether a policy ends the time of the controller of a request. */
function isOver({ spec }: RemediationPolicy, request: KubeObject | undefined, nowMs: number): boolean {
  const { afterSeconds, phases = [], conditions = [] } = spec.escalation ?? {};
  const { status } = Object(request) as {
    readonly status?: {
      readonly phase?: string;
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    };
  };
  const createdMs = Date.parse(request?.metadata.creationTimestamp ?? "");
  const isOld = afterSeconds !== undefined && createdMs + afterSeconds * SECOND <= nowMs;
  const isSaid = conditions.some(
    (wanted) => conditionOf(status?.conditions, wanted.type)?.status === wanted.status,
  );
  return isOld || isSaid || phases.includes(status?.phase ?? "");
}
