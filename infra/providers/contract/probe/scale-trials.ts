import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { listAt } from "../../../../shared/api/path.ts";
import type { ScaleTrial, WorkloadNodes } from "../../../../shared/contract/rules/probe/subject.ts";
import { lookUntil } from "./look-until.ts";
import { clusterOn, type Stage, setReplicas } from "./stage.ts";
import { follows, infraOf, poolIn } from "./views.ts";
import { workloadNodes } from "./workload-nodes.ts";

const REPLICAS = [2, 3, 1];

/** Scales the MachinePool up and down, and adds each trial to `scaled`. */
export async function runScaleTrials(stage: Stage, scaled: ScaleTrial[]): Promise<void> {
  const pool = poolIn(stage.provisioned);
  if (pool === undefined) return;
  let nodesWithinMs = stage.options.limitMs;
  for (const replicas of REPLICAS) {
    stage.options.note(`replicas ${replicas}`);
    const before = await stage.watcher.look();
    await setReplicas(stage, pool, replicas);
    const { seen: settled } = await stage.watcher.until((snapshot) => follows(snapshot, pool, replicas));
    const after = await stage.quiet();
    const { seen, last: nodes } = await nodesOf(stage, infraOf(after, pool), nodesWithinMs);
    scaled.push({ replicas, settled, before, after, nodes });
    // The rule is broken already; the other trials need not wait as long.
    if (!seen) nodesWithinMs = 0;
  }
}

/** A Node comes some time after its instance. */
function nodesOf(
  stage: Stage,
  infra: KubeObject | undefined,
  limitMs: number,
): Promise<{ readonly seen: boolean; readonly last: WorkloadNodes }> {
  const { scratch, options } = stage;
  const list = listAt(infra, "spec.providerIDList").map(String);
  const areKnown = (nodes: WorkloadNodes): boolean =>
    nodes === undefined || list.every((id) => nodes.has(id));
  const look = () => workloadNodes(scratch, clusterOn(stage));
  return lookUntil(look, areKnown, { clock: scratch.clock, limitMs, signal: options.signal });
}
