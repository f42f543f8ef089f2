import type { DeadLetters } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { QueueControl } from "../../../shared/runtime/queue/queue-control.ts";
import type { ConsoleOptions } from "../../console/console-options.ts";
import { type Control, createJobs } from "../../console/jobs/jobs.ts";
import type { Ports } from "../../console/ports.ts";
import { systemRandom } from "../../platform/random.ts";
import type { ConsoleFlags } from "./console-options.ts";

/** Returns the ports of actions; none without --actions. */
export function actionPorts(
  { queue, letters, clock, log }: Acting,
  { actions }: Pick<ConsoleFlags, "actions">,
): Pick<Ports, "control" | "jobs"> {
  if (!actions) return {};
  const control: Control = {
    pause: (name) => queue.pause(name),
    resume: (name) => queue.resume(name),
    requeue: (name, seen, cause) => queue.requeue(name, seen, cause),
    dropSeen: (name, seen) => letters.dropSeen(name, seen),
  };
  return { control, jobs: createJobs({ control, random: systemRandom, clock, log }) };
}

interface Acting extends Pick<ConsoleOptions, "clock" | "log"> {
  readonly queue: QueueControl;
  readonly letters: Pick<DeadLetters, "dropSeen">;
}
