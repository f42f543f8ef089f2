import type { Command } from "commander";
import { objectKeyOf } from "../../../shared/api/kinds.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import type { Core } from "../../operate/takeover/core.ts";
import { untilIdle } from "../../operate/takeover/families.ts";
import { type Finding, filtersOf, judge, judgeBack } from "../../operate/takeover/findings.ts";
import { back, type Moved, type Sequence, type Step, start } from "../../operate/takeover/sequence.ts";
import { readSurvey, type Scope, type Survey } from "../../operate/takeover/survey.ts";
import { systemClock } from "../../platform/clock.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import { bold } from "../../platform/terminal/paint.ts";
import { print, printError, printJson } from "../../platform/terminal/print.ts";
import type { QueueFlags } from "../../queue/backends/queue-source.ts";
import { historyFrom } from "../../queue/history/key-history.ts";
import { loadFunctions } from "../../worker/load.ts";
import type { LoopbackAddress } from "../../worker/loopback-address.ts";
import { askProcess } from "../explain/open-history.ts";
import { openSource } from "../letter-source.ts";
import { openServer } from "../management.ts";
import { exitAsWronglyCalled, parseAddress } from "../options.ts";
import { addQueueOptions } from "../queue-options.ts";
import { planLines, planReport } from "./plan-text.ts";
import { addScopeOptions, openTurn, type ScopeFlags, scopeOf } from "./scope-options.ts";

interface HandOverFlags extends ScopeFlags, QueueFlags {
  readonly yes?: true;
  readonly metricsAddress?: LoopbackAddress;
}

/** A command that gives Clusters to another controller: `start` or `back`. */
interface HandOver {
  /** Findings that stop it. */
  readonly judge: (survey: Survey, scope: Scope) => readonly Finding[];
  readonly run: (sequence: Sequence) => Promise<readonly Moved[]>;
  /** Scope as the cluster stands: an earlier run may have begun. */
  readonly scopeFrom: (scope: Scope, survey: Survey) => Scope;
}

const EXIT = `
Writes nothing without --yes. Stopped at any moment, it continues with the same command, or returns with the other one.
Exit status: 0 done, or without --yes nothing stops it; 1 a finding stops it, or a controller does not answer; 2 the
cluster cannot be read.`;

function addHandOver(command: Command, handOver: HandOver): Command {
  addScopeOptions(command).option("--yes", "act; without it only the plan is printed");
  addQueueOptions(command, "queue of Capstan, asked whether a run is under way (default: CAPSTAN_QUEUE)");
  return command
    .option(
      "--metrics-address <address>",
      "of capstan up or manager, whose queue is in its memory",
      parseAddress,
    )
    .addHelpText("after", EXIT)
    .exitOverride(exitAsWronglyCalled)
    .action(async (clusters: readonly string[], flags: HandOverFlags) => {
      try {
        process.exitCode = await act(clusters, flags, handOver);
      } catch (error) {
        printError(messageOf(error));
        process.exitCode = 1;
      }
    });
}

async function act(clusters: readonly string[], flags: HandOverFlags, handOver: HandOver): Promise<number> {
  using server = await openServer(flags.kubeconfig);
  const client = server.as("takeover");
  const look = () => lookAt(client, scopeOf(clusters, flags), handOver);
  const planned = await look();
  if (planned.core === undefined || flags.yes !== true) return printFindings(planned, flags);
  await using turn = await openTurn(client, planned.core.deployment.namespace);
  // Another operator may have moved Clusters, or parked the Lease, until this turn began.
  const { core, survey, scope, findings } = await look();
  if (core === undefined) return printFindings({ core, survey, scope, findings }, flags);
  await using asked = await openAsked(flags);
  const functions = await loadFunctions(undefined, undefined);
  const moved = await handOver.run({
    core,
    clusters: survey.clusters.map(({ cluster }) => objectKeyOf(cluster)),
    parkLease: scope.parkLease,
    hands: {
      client,
      probe: server.as("takeover", { dryRun: true }),
      clock: systemClock,
      filters: filtersOf(survey, scope),
      turn,
    },
    note: (step) => (flags.output === "json" ? undefined : print(stepLine(step))),
    untilIdle: (members) => untilIdle(members, { functions, ask: asked.ask, clock: systemClock }),
  });
  if (flags.output === "json") printJson({ schema: "capstan.dev/takeover/v1", moved });
  return 0;
}

/** The management cluster as it is, and whether the command may begin. */
interface Look {
  readonly scope: Scope;
  readonly survey: Survey;
  readonly findings: readonly Finding[];
  /** Cluster API's manager; absent where a finding stops the command. */
  readonly core: Core | undefined;
}

async function lookAt(client: ServerClient, given: Scope, { judge, scopeFrom }: HandOver): Promise<Look> {
  const first = await readSurvey(client, given);
  const scope = scopeFrom(given, first);
  const survey = scope === given ? first : await readSurvey(client, scope);
  const findings = judge(survey, scope);
  const isStopped = findings.some(({ verdict }) => verdict === "fail");
  return { scope, survey, findings, core: isStopped ? undefined : survey.core };
}

/** Prints the plan. Returns the exit status. */
function printFindings({ scope, survey, findings, core }: Look, { output }: HandOverFlags): number {
  const isStopped = core === undefined;
  if (output === "json") printJson(planReport(survey, scope, findings));
  else print(...planLines(survey, { scope, findings, now: systemClock.now() }), ...dryLines(isStopped));
  return isStopped ? 1 : 0;
}

function dryLines(stopped: boolean): readonly string[] {
  return stopped ? [] : ["", "Nothing was written; add --yes to do it"];
}

function stepLine({ cluster, did }: Step): string {
  return cluster === undefined ? did : `${bold(cluster)}  ${did}`;
}

type Asked = AsyncDisposable & Pick<Parameters<typeof untilIdle>[1], "ask">;

/** Who knows what Capstan runs: its queue, or the process that has it in memory. */
async function openAsked(flags: HandOverFlags): Promise<Asked> {
  const { metricsAddress } = flags;
  if (metricsAddress !== undefined) {
    return { ask: () => askProcess(metricsAddress), [Symbol.asyncDispose]: async () => undefined };
  }
  const source = await openSource(flags);
  const { queue } = source;
  const ask = queue === undefined ? undefined : () => historyFrom(queue, undefined);
  return { ask, [Symbol.asyncDispose]: () => source[Symbol.asyncDispose]() };
}

export function backCommand(command: Command): Command {
  return addHandOver(command, {
    judge: judgeBack,
    run: back,
    // How it started says how it returns.
    scopeFrom: (scope, { core }) => ({ ...scope, parkLease: core?.lease?.parked === true }),
  });
}

export function startCommand(command: Command): Command {
  return addHandOver(command, { judge, run: start, scopeFrom: (scope) => scope });
}
