import { Node } from "../../../shared/api/core.ts";
import { objectKeyOf, refTo } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { Pod } from "../../../shared/api/workload.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { timestamp } from "../../../shared/rules/conditions/conditions.ts";
import { detach } from "./detach.ts";
import { drainMessage, hasDrained } from "./drain-message.ts";
import { type DrainPlan, isEmpty } from "./drain-plan.ts";
import { type Drained, isUnreachable, readPlan } from "./drain-reads.ts";
import {
  again,
  completion,
  type DrainDecision,
  isBehindPods,
  lasting,
  stuck,
  unconnected,
} from "./drain-report.ts";
import { isBlocked } from "./drain-rules.ts";
import { holdOf, type Over, reach, type Scene } from "./drain-scene.ts";
import { leftMs, startOf } from "./drain-timers.ts";

/** Evictions of one run; a workload server takes so many from us in some seconds (KC-09). */
const AT_ONCE = 500;

/** Lets the Pods leave a Node. One that is gone has none. */
export async function drainPods(scene: Scene): Promise<DrainDecision | Over> {
  const skipped: Over = { begun: [], events: [] };
  if (leftMs(scene.machine, "drain", scene.now) === 0) return skipped;
  const drained = await reach(scene);
  if (drained === "gone") return { ...skipped, isNodeGone: true };
  if ("why" in drained) return unconnected(scene, "drain", drained.why);
  if (drained.node.spec?.unschedulable !== true) return cordon(drained);
  const plan = await readPlan(drained);
  if (isBlocked(plan)) return stuck(scene, "drain", plan.problem);
  if (isEmpty(plan)) {
    const events = isBehindPods(scene) ? [] : [completion(scene, "drain")];
    return { begun: ["drain"], events, drained, plan };
  }
  const startedAt = startOf(scene.machine, "drain");
  if (startedAt === undefined) return begin(scene, plan);
  if (plan.evictNow.length === 0) return lasting(scene, "drain", drainMessage(plan, [], startedAt));
  return evict(scene, plan, drained);
}

/** The Node's own event brings the run that lists its Pods: until then one more may be scheduled to it. */
function cordon({ node, cluster }: Drained): DrainDecision {
  // The kubelet writes all the time: a test of the version would lose against it.
  const target = { ...refTo(Node, node, cluster), resourceVersion: undefined };
  return {
    patch: [{ target, operations: [{ op: "add", path: "/spec/unschedulable", value: true }] }],
    result: waitFor("Node.spec.unschedulable"),
  };
}

/** The start time is stored before the first eviction: the run that this apply wakes evicts. */
function begin(scene: Scene, plan: DrainPlan): DrainDecision {
  const message = drainMessage(plan, undefined, timestamp(scene.now));
  const { notBeforeMs: _, ...decision } = lasting(scene, "drain", message);
  return decision;
}

/**
 * The last Pods are gone by their answers. A server without evictions shows them still: the run that this apply wakes
 * asks again, and continues with the volumes.
 */
function end(scene: Scene): DrainDecision {
  const run = { ...scene, begun: ["drain"] as const, events: [completion(scene, "drain")] };
  const { notBeforeMs: _, ...decision } = lasting(run, "volumes", "Looking for volumes of the Node");
  return decision;
}

/** The Machine is read live before: a hook, an annotation or a timeout that was set meanwhile counts. */
async function evict(scene: Scene, plan: DrainPlan, drained: Drained): Promise<DrainDecision> {
  const { machine, now, facts, read } = scene;
  const live = await read.live.get(Machine, objectKeyOf(machine));
  const isSame = live !== undefined && live.metadata.uid === machine.metadata.uid;
  // The event of what has changed is on its way.
  if (!isSame || leftMs(live, "drain", now) === 0) return { result: done };
  const hold = holdOf(facts, live);
  if (hold !== undefined) return { result: hold };
  const startedAt = startOf(live, "drain");
  // Lost to a foreign write: it is stored again first.
  if (startedAt === undefined) return { result: waitFor("Machine.status.deletion.nodeDrainStartTime") };
  const next = isBehindPods(scene) ? await detach({ ...scene, begun: ["drain"], drained, plan }) : end(scene);
  const { node, cluster } = drained;
  const gracePeriodSeconds = isUnreachable(node) ? 1 : undefined;
  const pods = plan.evictNow.slice(0, AT_ONCE).map((pod) => {
    return { target: refTo(Pod, pod, cluster), gracePeriodSeconds };
  });
  return {
    evict: {
      pods,
      answered: (answers) =>
        hasDrained(plan, answers) ? next : lasting(scene, "drain", drainMessage(plan, answers, startedAt)),
    },
    result: again(scene, "drain").result,
  };
}
