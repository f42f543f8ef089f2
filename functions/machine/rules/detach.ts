import { timestamp } from "../../../shared/rules/conditions/conditions.ts";
import { type Drained, readAttached, readPlan, readVolumes } from "./drain-reads.ts";
import { completion, type DrainDecision, lasting, stuck, unconnected } from "./drain-report.ts";
import { isBlocked } from "./drain-rules.ts";
import { type Over, reach, type Scene } from "./drain-scene.ts";
import { leftMs, startOf } from "./drain-timers.ts";
import { type Attached, isDetached, volumesMessage } from "./volumes.ts";

/** Waits until the volumes of a Node are detached; those of Pods that stay do not count. */
export async function detach(scene: Scene): Promise<DrainDecision | Over> {
  const { begun, events, isNodeGone = false } = scene;
  const skipped: Over = { begun, events };
  if (isNodeGone || leftMs(scene.machine, "volumes", scene.now) === 0) return skipped;
  const drained = scene.drained ?? (await reach(scene));
  if (drained === "gone") return skipped;
  if ("why" in drained) return unconnected(scene, "volumes", drained.why);
  const attached = await readAttached(drained);
  if (attached === undefined) return skipped;
  if (isBlocked(attached)) return stuck(scene, "volumes", attached.problem);
  return isDetached(attached) ? doneWith(scene) : waitForVolumes(scene, drained, attached);
}

function doneWith(scene: Scene): Over {
  return { begun: [...scene.begun, "volumes"], events: [...scene.events, completion(scene, "volumes")] };
}

async function waitForVolumes(
  scene: Scene,
  drained: Drained,
  attached: Attached,
): Promise<DrainDecision | Over> {
  const plan = scene.plan ?? (await readPlan(drained));
  if (isBlocked(plan)) return stuck(scene, "volumes", plan.problem);
  const volumes = await readVolumes(drained, attached);
  if (isBlocked(volumes)) return stuck(scene, "volumes", volumes.problem);
  const startedAt = startOf(scene.machine, "volumes") ?? timestamp(scene.now);
  const message = volumesMessage(attached, { volumes, skipped: plan.skipped }, startedAt);
  return message === undefined ? doneWith(scene) : lasting(scene, "volumes", message);
}
