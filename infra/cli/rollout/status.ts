import type { Command } from "commander";
import { SECOND } from "../../../shared/function/backoff.ts";
import { counted } from "../../../shared/rules/conditions/counted.ts";
import { planOf, planSpec } from "../../../shared/rules/rollout/plan-input.ts";
import { isStuck, type RolloutFacts, standstill } from "../../../shared/rules/rollout/standstill.ts";
import { systemClock } from "../../platform/clock.ts";
import { rest } from "../../platform/rest.ts";
import { print } from "../../platform/terminal/print.ts";
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
      process.exitCode = await waitForRollout(named, options);
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
  const { replicas } = planSpec(deployment);
  const { done, current, changes, waitsFor } = planOf(facts);
  if (done && waitsFor === undefined && changes.every((change) => change.do === "remove"))
    return { text: `${name}: done, ${counted(replicas, "Machine")} available and up to date`, end: 0 };
  const { status } = sets.find(({ metadata }) => metadata.name === current) ?? {};
  const old = sets.reduce(
    (sum, set) => sum + (set.metadata.name === current ? 0 : (set.status?.replicas ?? 0)),
    0,
  );
  const counts = `${status?.replicas ?? 0} of ${replicas} made from the current template, ${status?.availableReplicas ?? 0} available, ${old} old`;
  const stands = standstill(facts);
  if (stands === undefined) return { text: `${name}: ${counts}` };
  const needsPerson = isStuck(stands, now);
  const text = `${name}: ${counts}; ${needsPerson ? "stands still" : "waits"}: ${stands.cause}`;
  return needsPerson ? { text: `${text}; ${stands.next}`, end: 1 } : { text };
}
