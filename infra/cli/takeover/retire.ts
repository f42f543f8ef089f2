import type { Command } from "commander";
import { messageOf } from "../../../shared/function/errors.ts";
import type { Finding } from "../../operate/takeover/findings.ts";
import { retire, undo } from "../../operate/takeover/retire.ts";
import {
  judgeRetirement,
  judgeReturn,
  type Retirement,
  readRetirement,
} from "../../operate/takeover/retirement.ts";
import { readSurvey, type Scope, type Survey } from "../../operate/takeover/survey.ts";
import { systemClock } from "../../platform/clock.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import { bold, paint } from "../../platform/terminal/paint.ts";
import { print, printError, printJson } from "../../platform/terminal/print.ts";
import { openServer } from "../management.ts";
import { exitAsWronglyCalled } from "../options.ts";
import { section } from "../tree/lines.ts";
import { findingLine } from "./plan-text.ts";
import { addRetireOptions, openTurn, type ScopeFlags, scopeOf } from "./scope-options.ts";

interface RetireFlags extends ScopeFlags {
  readonly yes?: true;
  readonly undo?: true;
}

const TEXT = `
Retires Cluster API's manager when every Cluster is Capstan's: all objects are stored in v1beta2, its conversion and its
webhooks end, it stops, and its CRDs become Capstan's. --undo brings it back, as it was; then capstan takeover back returns
the Clusters. Writes nothing without --yes, and continues where it was stopped.
Exit status: 0 done, or without --yes nothing stops it; 1 a finding stops it; 2 the cluster cannot be read.`;

export function retireCommand(command: Command): Command {
  return addRetireOptions(command)
    .option("--undo", "bring a retired manager back")
    .option("--yes", "act; without it only the plan is printed")
    .addHelpText("after", TEXT)
    .exitOverride(exitAsWronglyCalled)
    .action(async (flags: RetireFlags) => {
      try {
        process.exitCode = await act(flags);
      } catch (error) {
        printError(messageOf(error));
        process.exitCode = 1;
      }
    });
}

async function act(flags: RetireFlags): Promise<number> {
  using server = await openServer(flags.kubeconfig);
  const client = server.as("takeover");
  const scope = scopeOf([], flags);
  const planned = await look(client, scope, flags);
  if (planned.isStopped || flags.yes !== true) return printFindings(planned, flags);
  await using turn = await openTurn(client, scope.core.namespace);
  // Another operator may have given Clusters back until this turn began.
  const { survey, retirement, ...found } = await look(client, scope, flags);
  const { core } = survey;
  if (found.isStopped || core === undefined) return printFindings({ survey, retirement, ...found }, flags);
  const note = (did: string) => (flags.output === "json" ? undefined : print(did));
  const run = flags.undo === true ? undo : retire;
  const probe = server.as("takeover", { dryRun: true });
  await run({ client, probe, clock: systemClock, turn, core, retirement, note });
  if (flags.output === "json") printJson({ schema: "capstan.dev/takeover-retire/v1", done: true });
  return 0;
}

interface Look {
  readonly survey: Survey;
  readonly retirement: Retirement;
  readonly findings: readonly Finding[];
  readonly isStopped: boolean;
}

async function look(client: ServerClient, scope: Scope, flags: RetireFlags): Promise<Look> {
  const [survey, retirement] = await Promise.all([
    readSurvey(client, scope),
    readRetirement(client, scope.core.namespace),
  ]);
  const findings = (flags.undo === true ? judgeReturn : judgeRetirement)(survey, scope, retirement);
  return { survey, retirement, findings, isStopped: findings.some(({ verdict }) => verdict === "fail") };
}

/** Prints the plan. Returns the exit status. */
function printFindings(
  { retirement, findings, isStopped }: Look,
  { output, undo: isUndo }: RetireFlags,
): number {
  if (output === "json") {
    const { definitions, configurations } = retirement;
    const names = (objects: readonly { readonly metadata: { readonly name: string } }[]) =>
      objects.map(({ metadata }) => metadata.name);
    printJson({
      schema: "capstan.dev/takeover-retire-plan/v1",
      definitions: names(definitions),
      webhookConfigurations: names(configurations.map(({ object }) => object)),
      findings,
    });
    return isStopped ? 1 : 0;
  }
  const of = (verdict: Finding["verdict"]) =>
    findings.filter((finding) => finding.verdict === verdict).map(findingLine);
  const state = isStopped ? paint("red", "not yet") : paint("green", "nothing stops it");
  const what = isUndo === true ? "Bring Cluster API's manager back" : "Retire Cluster API's manager";
  print(
    `${bold(what)}: ${state}`,
    ...section("Stops it", of("fail")),
    ...section("To know", of("warn")),
    ...(isStopped || isUndo === true ? [] : section("Steps", stepsOf(retirement))),
    ...(isStopped ? [] : ["", "Nothing was written; add --yes to do it"]),
  );
  return isStopped ? 1 : 0;
}

function stepsOf({ definitions, configurations }: Retirement): readonly string[] {
  const names = configurations.map(({ kind, object }) => `${kind.kind} ${object.metadata.name}`);
  return [
    "keep what it changes in a ConfigMap beside the manager",
    `store the objects of ${definitions.length} CustomResourceDefinitions in their newest version, and end their conversion`,
    ...names.map((name) => `delete ${name}`),
    "stop the manager (replicas 0)",
    "give the CustomResourceDefinitions of Capstan's kinds the schemas and rules of Capstan",
  ];
}
