import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { AnyDecision, GuardedPatch } from "../../../shared/function/define-function.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import type { ObservedRun } from "../ports/observed-runs.ts";
import { MACHINES } from "./hand-over-writes.ts";
import { type Evaluation, evaluationOf, type JudgedTarget } from "./judged-targets.ts";
import type { Needs, Oracle, Watched } from "./oracle.ts";
import { placeOf } from "./sent-write.ts";

const HEALTH = "HealthCheckSucceeded";
/** A deadline is passed 1 ms later. */
const DUE_MS = 1;

const needs: Needs = {
  workloads: ["W-25", "W-26", "W-27", "W-28", "W-29", "W-30"],
  why: "there is no health check",
};

/** Statements of health checks on Machines, and their moments: F-32, F-33, F-35. */
export const healthStatements: readonly Oracle[] = [
  {
    number: "F-32",
    title: "a run that says something of one target says it of all",
    needs,
    watch: (watched) =>
      onJudged(watched, ({ key, due, missing, said }) => {
        if (due.length < 2) return;
        watched.evaluated();
        const [first] = missing;
        if (first !== undefined && said.size > 0)
          watched.violated(
            `${key} says nothing of ${first.name}, which ${first.why}, but of ${[...said].join()}`,
          );
      }),
  },
  {
    number: "F-32",
    title: "what a server refuses about one target keeps no other patch from being sent",
    needs,
    watch({ world, violated, evaluated }) {
      /** By run: the Machines about which a patch has left its worker. */
      const left = new Map<string, Set<string>>();
      world.network.onLeave(({ request }) => {
        const place = placeOf(request.path);
        const runId = request.headers["audit-id"] ?? "";
        if (request.method !== "PATCH" || place?.type !== MACHINES) return;
        left.set(runId, (left.get(runId) ?? new Set<string>()).add(place.name));
      });
      world.runs.onEnd(({ functionName, key, record, lease, runId, outcome }) => {
        if (functionName !== "mhc-machines" || outcome.type === "retry" || lease.signal.aborted) return;
        const decided = new Set(patchesIn(record?.decision).map(({ target }) => target.name));
        // Silence leaves the rest to the next run, and what never left says nothing about any Machine.
        const errors = (record?.writes ?? []).flatMap(({ outcome: { error } }) => error ?? []);
        if (decided.size < 2 || errors.some((error) => statusOf(error) === 0)) return;
        evaluated();
        const unsent = [...decided].filter((name) => left.get(runId)?.has(name) !== true);
        if (unsent.length > 0) violated(`${key} has not sent what it says of ${unsent.join()}`);
      });
    },
  },
  {
    number: "F-33",
    title: "a target that is healthy again is said to be so by the first run that sees it",
    needs,
    watch: (watched) =>
      onJudged(watched, ({ key, due, missing, said }) => {
        if (due.every(({ why }) => why !== RECOVERED)) return;
        watched.evaluated();
        const first = missing.find(({ why }) => why === RECOVERED);
        if (first !== undefined && said.size === 0)
          watched.violated(`${key} does not say that ${first.name} ${RECOVERED}`);
      }),
  },
  {
    number: "F-35",
    title:
      "a check fails when stored times say so: not before, by the first run after it, for which a run is planned",
    needs,
    watch(watched) {
      onJudged(watched, ({ key, due, missing, said }) => {
        if (due.every(({ why }) => why !== FAILED)) return;
        watched.evaluated();
        const first = missing.find(({ why }) => why === FAILED);
        if (first !== undefined && said.size === 0)
          watched.violated(`${key} does not say that ${first.name} ${FAILED}`);
      });
      watched.world.runs.onEnd((run) => {
        const evaluation = evaluationIn(run);
        if (evaluation === undefined) return;
        for (const early of earlyIn(run, evaluation))
          watched.violated(`${run.key} says too early that ${early} ${FAILED}`);
        const late = unplannedIn(run, evaluation);
        if (late !== undefined) watched.violated(`${run.key} plans no run for the deadline of ${late}`);
      });
    },
  },
];

const RECOVERED = "is healthy";
const FAILED = "has failed for long enough";

interface Due {
  readonly name: string;
  readonly why: typeof RECOVERED | typeof FAILED;
}

interface JudgedRun {
  readonly key: string;
  /** The targets whose condition has to change, by what the run has read. */
  readonly due: readonly Due[];
  /** Those of which it says nothing. */
  readonly missing: readonly Due[];
  /** Names of the targets of whose health it says something. */
  readonly said: ReadonlySet<string>;
}

function onJudged({ world }: Watched, observer: (judged: JudgedRun) => void): void {
  world.runs.onEnd((run) => {
    const evaluation = evaluationIn(run);
    if (evaluation === undefined) return;
    const patches = patchesIn(run.record?.decision);
    const patched = new Set(patches.map(({ target }) => target.name));
    const said = new Set(
      patches.filter((patch) => saidIn(patch) !== undefined).map(({ target }) => target.name),
    );
    const due = duesOf(run, evaluation);
    observer({ key: run.key, due, missing: due.filter(({ name }) => !patched.has(name)), said });
  });
}

/** Of runs of `mhc-machines` that have come to their end. */
function evaluationIn(run: ObservedRun): Evaluation | undefined {
  if (run.functionName !== "mhc-machines" || run.outcome?.type !== "ok") return undefined;
  return run.record?.decision === undefined ? undefined : evaluationOf(run, "snapshots");
}

/** By snapshots and by what servers have answered in the same run: where they differ, the next run decides. */
function duesOf(run: ObservedRun, { check, targets }: Evaluation): readonly Due[] {
  if (hasChanged(run)) return [];
  const live = evaluationOf(run, "servers")?.targets;
  return targets
    .filter(({ lead }) => lead === check.metadata.name)
    .flatMap((target): readonly Due[] => {
      const { name, uid } = target.machine.metadata;
      const why = wantedOf(target);
      if (why === undefined || isStored(target.machine, why)) return [];
      // A statement that goes with a hand-over leaves after those that need no live read.
      if (why === FAILED && isUnlimited(check)) return mayFollow(run, target) ? [] : [{ name, why }];
      const seen = live?.find(({ machine }) => machine.metadata.uid === uid) ?? NOTHING;
      return live === undefined || wantedOf(seen) === why ? [{ name, why }] : [];
    });
}

const NOTHING: Pick<JudgedTarget, "all"> = { all: [] };

function isStored({ status }: Machine, why: Due["why"]): boolean {
  return conditionOf(status?.conditions, HEALTH)?.status === (why === RECOVERED ? "True" : "False");
}

/** A run that says something else first, or whose servers may have said otherwise, leaves it to the next one. */
function mayFollow({ record }: ObservedRun, { machine }: JudgedTarget): boolean {
  const isAsked = (record?.reads ?? []).some(
    ({ question }) => question.call === "live.get" && question.key.name === machine.status?.nodeRef?.name,
  );
  return isAsked || patchesIn(record?.decision).length > 0;
}

function isUnlimited({ spec }: Evaluation["check"]): boolean {
  return spec.remediation?.triggerIf === undefined && spec.remediation?.templateRef === undefined;
}

/** The health check or its Cluster is another one on the server: nothing may be handed over. */
function hasChanged({ record }: ObservedRun): boolean {
  const reads = record?.reads ?? [];
  return ["MachineHealthCheck", "Cluster"].some((kind) => {
    const found = reads.filter(({ question }) => "kind" in question && question.kind.kind === kind);
    const [shown, asked] = ["get", "live.get"].map((call) => {
      const answer = found.find(({ question }) => question.call === call)?.answer;
      return answer?.type === "object" ? (answer.object?.metadata ?? "gone") : undefined;
    });
    if (asked === undefined || asked === "gone" || shown === undefined || shown === "gone")
      return asked === "gone";
    return asked.uid !== shown.uid || asked.generation !== shown.generation || isHeld(asked);
  });
}

function isHeld({ annotations, deletionTimestamp }: Machine["metadata"]): boolean {
  return deletionTimestamp !== undefined || annotations?.["cluster.x-k8s.io/paused"] !== undefined;
}

/** Checks that overlap say one thing: unhealthy for one is unhealthy, and one that does not see the Node says nothing. */
function wantedOf({ all }: Pick<JudgedTarget, "all">): Due["why"] | undefined {
  if (all.some(({ is }) => is === "unhealthy")) return FAILED;
  const isHealthy = all.some(({ is }) => is === "healthy") && all.every(({ is }) => is !== "unknown");
  return isHealthy ? RECOVERED : undefined;
}

/** Names of the Machines whose checks this run lets fail although nothing has failed for long enough. */
function earlyIn({ record }: ObservedRun, { targets }: Evaluation): readonly string[] {
  return targets
    .filter(({ machine, all }) => {
      const stored = conditionOf(machine.status?.conditions, HEALTH)?.status;
      const isUnhealthy = all.some(({ is }) => is === "unhealthy");
      const [patch] = patchesIn(record?.decision).filter(
        ({ target }) => target.name === machine.metadata.name,
      );
      return patch !== undefined && saidIn(patch) === "False" && stored !== "False" && !isUnhealthy;
    })
    .map(({ machine }) => machine.metadata.name);
}

/** The target whose deadline passes before the next run; undefined: none. */
function unplannedIn({ outcome }: ObservedRun, { targets, clockMs }: Evaluation): string | undefined {
  if (outcome?.type !== "ok") return undefined;
  const { afterMs = Number.POSITIVE_INFINITY, notBeforeMs = 0 } = outcome;
  const nextMs = clockMs + afterMs - notBeforeMs;
  return targets.find(({ all }) =>
    all.some(({ is, failsAtMs }) => is === "failing" && nextMs > failsAtMs + DUE_MS),
  )?.machine.metadata.name;
}

function patchesIn(decision: object | undefined): readonly GuardedPatch[] {
  const { patch = [] } = (decision ?? {}) as AnyDecision;
  return patch.filter(({ target }) => target.kind.kind === "Machine");
}

/** The status that a patch gives the health check of its Machine. */
function saidIn({ operations }: GuardedPatch): string | undefined {
  for (const operation of operations) {
    if (operation.op === "test" || operation.op === "remove") continue;
    const { type, status } = Object(operation.value) as { readonly type?: string; readonly status?: string };
    if (type === HEALTH) return status;
  }
  return undefined;
}

function statusOf(error: unknown): number {
  return error instanceof KubeError ? error.status : 0;
}
