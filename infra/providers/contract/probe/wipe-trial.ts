import type { Snapshot, WipeTrial } from "../../../../shared/contract/rules/probe/subject.ts";
import { change } from "./scratch.ts";
import { clusterOn, type Stage, setPaused } from "./stage.ts";
import { isRestored, objectsIn, says } from "./views.ts";
import { workloadNodes } from "./workload-nodes.ts";

/** Pauses the Cluster, empties the status of every provider object as a move does, and ends the pause. */
export async function runWipeTrial(stage: Stage): Promise<WipeTrial> {
  const { options, watcher, scratch } = stage;
  const { roleOf } = scratch;
  const readNodes = () => workloadNodes(scratch, clusterOn(stage));
  options.note("every status replaced by an empty one, while paused");
  await setPaused(stage, true);
  const areSaid = (snapshot: Snapshot) => objectsIn(roleOf, snapshot).every((object) => says(object, "True"));
  await watcher.until(areSaid, options.restMs);
  const before = await stage.quiet();
  const nodesBefore = await readNodes();
  for (const object of objectsIn(roleOf, before)) {
    await change(scratch, object, [{ op: "add", path: "/status", value: {} }], "status");
  }
  await setPaused(stage, false);
  options.note("waits until every status is back");
  const { seen, last } = await watcher.until((snapshot) => isRestored(roleOf, before, snapshot));
  // A status that never comes back is a result, too.
  const after = seen ? await stage.quiet() : last;
  return { before, after, nodesBefore, nodesAfter: await readNodes() };
}
