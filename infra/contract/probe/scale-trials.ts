import type { KubeObject } from "../../../shared/api/kinds.ts";
import { listAt } from "../../../shared/api/path.ts";
import type { ScaleTrial, Snapshot, WorkloadNodes } from "../../../shared/contract/rules/probe/subject.ts";
import { clusterOn, type Stage, setReplicas } from "./stage.ts";
import { follows, infraOf, poolIn } from "./views.ts";
import { workloadNodes } from "./workload-nodes.ts";

const REPLICAS = [2, 3, 1];
const NODE_LOOKS = 20;

/** Scales the MachinePool up and down, and adds each trial to `scaled`. */
export async function runScaleTrials(stage: Stage, scaled: ScaleTrial[]): Promise<void> {
  const pool = poolIn(stage.provisioned);
  if (pool === undefined) return;
  for (const replicas of REPLICAS) {
    stage.options.note(`replicas ${replicas}`);
    const before = await stage.watcher.look();
    await setReplicas(stage, pool, replicas);
    const { seen: settled } = await stage.watcher.until((snapshot) => follows(snapshot, pool, replicas));
    const after = await stage.quiet();
    scaled.push({ replicas, settled, before, after, nodes: await nodesOf(stage, after, pool) });
  }
}

async function nodesOf(stage: Stage, snapshot: Snapshot, pool: KubeObject): Promise<WorkloadNodes> {
  const list = listAt(infraOf(snapshot, pool), "spec.providerIDList").map(String);
  for (let looks = 1; ; looks += 1) {
    const nodes = await workloadNodes(stage.scratch, clusterOn(stage));
    const isKnown = nodes === undefined || list.every((id) => nodes.has(id));
    if (isKnown || looks === NODE_LOOKS) return nodes;
    // A Node may come some moments after its instance.
    await stage.watcher.rest(stage.options.restMs / 2);
  }
}
