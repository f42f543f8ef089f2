import type { Command } from "commander";
import { SECOND } from "../../../shared/function/backoff.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import { plan } from "../../../shared/rules/rollout/plan.ts";
import { planSets, planSpec } from "../../../shared/rules/rollout/plan-input.ts";
import { isOverdue, type RolloutFacts, standstill } from "../../../shared/rules/rollout/standstill.ts";
import { systemClock } from "../../platform/clock.ts";
import { rest } from "../../platform/rest.ts";
import { print, printError } from "../../platform/terminal/print.ts";
import { count } from "../plan-lines.ts";
import { addDeploymentArgument, type DeploymentOptions, openRollout } from "./deployment-argument.ts";

const LOOK_MS = 2 * SECOND;

const EXAMPLES = `
Example:
  capstan rollout status default/md

Prints a line whenever something has changed. Exit status: 0 the rollout is done; 1 it stands still for ten minutes, or by
the wish of a person: paused, or OnDelete.`;

export function statusCommand(command: Command): Command {
  return addDeploymentArgument(command)
    .addHelpText("after", EXAMPLES)
    .action(async (named: string, options: DeploymentOptions) => {
      try {
        process.exitCode = await waitForRollout(named, options);
      } catch (error) {
        printError(messageOf(error));
        process.exitCode = 1;
      }
    });
}

async function waitForRollout(named: string, options: DeploymentOptions): Promise<number> {
  using rollout = await openRollout(named, options);
  let said = "";
  for (;;) {
    const { text, end } = progressOf(await rollout.read());
    if (text !== said) print(text);
    said = text;
    if (end !== undefined) return end;
    await rest(LOOK_MS, systemClock);
  }
}

interface Progress {
  readonly text: string;
  /** The exit status, when there is nothing more to wait for. */
  readonly end?: number;
}

/** Returns how far a rollout is, in one line. */
export function progressOf(facts: RolloutFacts): Progress {
  const { deployment, sets, now } = facts;
  const name = `${deployment.metadata.namespace}/${deployment.metadata.name}`;
  const spec = planSpec(deployment);
  const { done, current, changes, waitsFor } = plan(spec, planSets(sets), now.getTime());
  if (done && waitsFor === undefined && changes.every((change) => change.do === "remove"))
    return { text: `${name}: done, ${count(spec.replicas, "Machine")} available and up to date`, end: 0 };
  const { status } = sets.find(({ metadata }) => metadata.name === current) ?? {};
  const old = sets.reduce(
    (sum, set) => sum + (set.metadata.name === current ? 0 : (set.status?.replicas ?? 0)),
    0,
  );
  const counts = `${status?.replicas ?? 0} of ${spec.replicas} made from the current template, ${status?.availableReplicas ?? 0} available, ${old} old`;
  const stands = standstill(facts);
  if (stands === undefined) return { text: `${name}: ${counts}` };
  const isStuck = stands.isHeld || isOverdue(stands, now);
  const text = `${name}: ${counts}; ${isStuck ? "stands still" : "waits"}: ${stands.cause}`;
  return isStuck ? { text: `${text}; ${stands.next}`, end: 1 } : { text };
}
