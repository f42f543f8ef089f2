import { done } from "../../../shared/function/result.ts";
import { timestamp } from "../../../shared/rules/conditions/conditions.ts";
import { type Drained, readAttached, readPlan, readVolumes } from "./drain-reads.ts";
import { applied, completion, type DrainDecision, lasting, stuck, unconnected } from "./drain-report.ts";
import { isBlocked } from "./drain-rules.ts";
import { isDecided, type Over, reach, type Scene } from "./drain-scene.ts";
import { leftMs, startOf } from "./drain-timers.ts";
import { stageAfterDrain } from "./stage.ts";
import { type Attached, isDetached, volumesMessage } from "./volumes.ts";

/** Ends the drain's turn once the volumes of the Node are detached; those of Pods that stay do not count. */
export async function detach(scene: Scene): Promise<DrainDecision> {
  const detached = await detachVolumes(scene);
  if (isDecided(detached)) return detached;
  const { reason, message } = stageAfterDrain(scene.machine, {
    ...scene.facts,
    bootstrap: undefined,
    node: undefined,
    connection: undefined,
  });
  return { ...applied({ ...scene, ...detached }, reason, message), events: detached.events, result: done };
}

async function detachVolumes(scene: Scene): Promise<DrainDecision | Over> {
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
