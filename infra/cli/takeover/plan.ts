import type { Command } from "commander";
import { messageOf } from "../../../shared/function/errors.ts";
import { explainStep } from "../../operate/explain/explain-step.ts";
import { type Member, runsOf } from "../../operate/takeover/families.ts";
import { type Finding, judge } from "../../operate/takeover/findings.ts";
import { readSurvey, type Survey } from "../../operate/takeover/survey.ts";
import { systemClock } from "../../platform/clock.ts";
import { print, printError, printJson } from "../../platform/terminal/print.ts";
import { fillReadModel, type ReadModel } from "../explain/read-model.ts";
import { openServer } from "../management.ts";
import { exitAsWronglyCalled } from "../options.ts";
import { type Decisions, decisionLines, planLines, planReport } from "./plan-text.ts";
import { addScopeOptions, type ScopeFlags, scopeOf } from "./scope-options.ts";

interface PlanFlags extends ScopeFlags {
  readonly decisions?: true;
}

const EXAMPLES = `
Examples:
  capstan takeover plan
  capstan takeover plan default/demo
  capstan takeover plan --park-lease --decisions -o json

Only reads. Exit status: 0 nothing stops start, 1 a finding with "fail", 2 the cluster cannot be read.`;

export function planCommand(command: Command): Command {
  return addScopeOptions(command)
    .option("--decisions", "run the functions on the live objects, and show what they would send first")
    .addHelpText("after", EXAMPLES)
    .exitOverride(exitAsWronglyCalled)
    .action(async (clusters: readonly string[], flags: PlanFlags) => {
      try {
        process.exitCode = await runPlan(clusters, flags);
      } catch (error) {
        printError(messageOf(error));
        process.exitCode = 2;
      }
    });
}

async function runPlan(clusters: readonly string[], flags: PlanFlags): Promise<number> {
  using server = await openServer(flags.kubeconfig);
  const scope = scopeOf(clusters, flags);
  const survey = await readSurvey(server.as("takeover"), scope);
  const findings = judge(survey, scope);
  const decisions = flags.decisions === true ? await decide(survey, flags.kubeconfig) : undefined;
  if (flags.output === "json") printJson({ ...planReport(survey, scope, findings), decisions });
  else {
    print(...planLines(survey, { scope, findings, now: systemClock.now() }));
    if (decisions !== undefined) print(...decisionLines(decisions));
  }
  return hasFailed(findings) ? 1 : 0;
}

function hasFailed(findings: readonly Finding[]): boolean {
  return findings.some(({ verdict }) => verdict === "fail");
}

/** Runs the step of every function on the live objects of each Cluster, and sends nothing. */
async function decide({ clusters }: Survey, kubeconfig: string | undefined): Promise<readonly Decisions[]> {
  await using model = await fillReadModel({ kubeconfig });
  const decided: Decisions[] = [];
  for (const { name, members } of clusters) {
    await model.connected(name);
    const sent = await Promise.all(members.map((member) => sendsFor(model, member)));
    decided.push({ cluster: name, wouldSend: sent.flat().toSorted() });
  }
  return decided;
}

async function sendsFor(model: ReadModel, member: Member): Promise<readonly string[]> {
  const { object } = member;
  const sent = await Promise.all(
    runsOf(member, model.functions).map(async ({ fn, key }) => {
      return (await explainStep(fn, { key, object }, { ...model, clock: systemClock })).wouldSend;
    }),
  );
  return sent.flat();
}
