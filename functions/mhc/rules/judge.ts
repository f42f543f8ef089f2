import { ANY_PAIR, labelPairs, NO_PAIR } from "../../../shared/api/indexes.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { type Health, healthOf, type Opinion } from "./health.ts";
import { evidenceOf, nodeNameOf, type Scene, selectorIndex } from "./reads.ts";
import { isTargetOf } from "./targets.ts";
import { deletedText, type NodeEvidence, type Verdict, verdictOf } from "./verdict.ts";

/** One target with what is said about it. */
export interface Judged {
  readonly machine: Machine;
  readonly node: NodeEvidence;
  /** The verdict of the health check that judges. */
  readonly verdict: Verdict;
  /** The joint health by all health checks that select the Machine. */
  readonly health: Health;
  /** Those of the verdicts that time alone changes, in ms since 1970. */
  readonly deadlinesMs: readonly number[];
}

/**
 * Judges all targets. A Node that the complete view lacks is missing once `isAbsent` says so: the workload server itself
 * has answered that it does not exist. Linear in the targets and in the health checks that select each of them.
 */
export function judge(scene: Scene, isAbsent: (name: string) => boolean, now: Date): readonly Judged[] {
  const { check, cluster, nodes } = scene;
  const checksOf = createChooser(scene.checks);
  return scene.targets.map((machine) => {
    const node = evidenceOf(cluster, machine, nodes, (name) => isAbsent(name) || isKnownAbsent(machine));
    const opinions = checksOf(machine).map((by): Opinion => {
      return { check: by, verdict: verdictOf({ check: by, cluster, machine, node }, now) };
    });
    const own = opinions.find(({ check: by }) => by === check)?.verdict ?? { is: "unknown" };
    const deadlinesMs = opinions.flatMap(({ verdict }) =>
      verdict.is === "pending" ? [verdict.untilMs] : [],
    );
    return { machine, node, verdict: own, health: healthOf(opinions), deadlinesMs };
  });
}

/** The health checks that select a Machine, found by its labels: hundreds of them may be of the same Cluster. */
function createChooser(
  checks: readonly MachineHealthCheck[],
): (machine: Machine) => readonly MachineHealthCheck[] {
  const byPair = Map.groupBy(checks, (check) => pairOf(check));
  return (machine) => {
    const pairs = labelPairs(machine.metadata.labels ?? {});
    const candidates = pairs.includes(ANY_PAIR)
      ? checks
      : [NO_PAIR, ...pairs].flatMap((pair) => byPair.get(pair) ?? []);
    return candidates.filter((check) => isTargetOf(check, machine));
  };
}

function pairOf(check: MachineHealthCheck): string {
  const value = selectorIndex(check);
  return value.slice(value.indexOf("|") + 1);
}

/** Nodes that a complete view lacks, and of which no condition says yet that they are gone: by name. */
export function unseenNodes({ cluster, targets, nodes }: Scene): readonly string[] {
  if (nodes === undefined) return [];
  const names = targets
    .filter((machine) => !isKnownAbsent(machine))
    .flatMap((machine) => nodeNameOf(cluster, machine) ?? []);
  return [...new Set(names)].filter((name) => !nodes.has(name));
}

/** The server has said so before, and the condition repeats it: it says nothing new while the view lacks the Node. */
function isKnownAbsent(machine: Machine): boolean {
  const found = conditionOf(machine.status?.conditions, "HealthCheckSucceeded");
  return found?.status === "False" && found.message.includes(`  * ${deletedText(machine)}`);
}
