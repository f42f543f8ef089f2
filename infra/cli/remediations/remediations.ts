import type { Command } from "commander";
import { Event } from "../../../shared/api/core.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { RemediationPolicy } from "../../../shared/api/remediation-policy.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { MARK_REASON, RECOVERY_REASON } from "../../../shared/rules/machines/remediation-events.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";
import { systemClock } from "../../platform/clock.ts";
import { print, printError, printJson } from "../../platform/terminal/print.ts";
import { ageOf, tableLines } from "../../platform/terminal/table.ts";
import { openServer } from "../management.ts";
import { kubeconfigOption, outputOption } from "../options.ts";
import { missingChecks } from "./policy-history.ts";
import { type Remediation, type RemediationSources, remediationsOf } from "./remediation-list.ts";
import { WAIT_REASONS } from "./waits.ts";

interface RemediationsOptions {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly output: string;
}

/** More remediations do not fit on a screen; `-o json` has all of them. */
const MAX_ROWS = 50;
const MAX_EVENTS = 10_000;

export function remediationsCommand(command: Command): Command {
  return command
    .option("-n, --namespace <name>", "of this namespace only (default: all)")
    .addOption(kubeconfigOption())
    .addOption(outputOption("table", "json"))
    .addHelpText(
      "after",
      "\nExamples:\n  capstan remediations\n  capstan remediations -n default -o json\n\nMost servers forget an Event after an hour, and conditions go with their Machine; a RemediationPolicy keeps a history that lasts.",
    )
    .action(async (options: RemediationsOptions) => {
      using server = await openServer(options.kubeconfig);
      const sources = await readSources(server.as("remediations"), options.namespace);
      const found = remediationsOf(sources);
      for (const text of missingChecks(sources.policies, sources.checks)) printError(text);
      if (options.output === "json") printJson(found);
      else print(...textOfRemediations(found, systemClock.now()));
    });
}

async function readSources(client: KubeClient, namespace: string | undefined): Promise<RemediationSources> {
  const eventsOf = async (reason: string) => {
    const fieldSelector = `reason=${reason}`;
    return (await client.list(Event, { namespace, fieldSelector, maxItems: MAX_EVENTS })).items;
  };
  const [events, recoveries, waits, machines, checks, policies] = await Promise.all([
    eventsOf(MARK_REASON),
    eventsOf(RECOVERY_REASON),
    Promise.all(WAIT_REASONS.map(eventsOf)),
    client.list(Machine, { namespace }),
    client.list(MachineHealthCheck, { namespace }),
    readPolicies(client, namespace),
  ]);
  return {
    events,
    recoveries,
    waits: waits.flat(),
    machines: machines.items,
    checks: checks.items,
    policies,
  };
}

/** Policies are optional: without their CRD none exists, and without the right to see them the rest is still shown. */
async function readPolicies(
  client: KubeClient,
  namespace: string | undefined,
): Promise<readonly RemediationPolicy[]> {
  try {
    return (await client.list(RemediationPolicy, { namespace })).items;
  } catch (error) {
    if (!(error instanceof KubeError) || (error.status !== 404 && error.status !== 403)) throw error;
    if (error.status === 403)
      printError(`the histories of RemediationPolicies are missing here: ${error.message}`);
    return [];
  }
}

/** One row per remediation, of the newest ones. */
export function textOfRemediations(found: readonly Remediation[], now: Date): readonly string[] {
  if (found.length === 0) {
    return [
      "no remediations: no Event, no condition and no RemediationPolicy names one; capstan explain machinehealthcheck NS/NAME says what remediation waits for",
    ];
  }
  const rows = found
    .slice(0, MAX_ROWS)
    .map((one) => [
      `${one.at} (${ageOf(one.at, now)} ago)`,
      one.healthCheck ?? "",
      one.machine,
      one.reason ?? "",
      waitedText(one),
      one.actor ?? "",
      one.outcome,
      lasted(one, now),
    ]);
  const more = found.length - rows.length;
  return [
    ...tableLines(["WHEN", "CHECK", "MACHINE", "REASON", "WAITED", "ACTED", "OUTCOME", "LASTED"], rows),
    ...(more > 0 ? [`and ${more} older ones; -o json shows all`] : []),
  ];
}

/** Returns the wait from failure to begin, and for what: `7s calm`. */
function waitedText({ at, failedAt, waitedFor = [], outcome }: Remediation): string {
  if (failedAt === undefined || outcome === "not started") return "";
  return [ageOf(failedAt, new Date(at)), waitedFor.join(", ")].join(" ").trimEnd();
}

const GOES_ON: readonly Remediation["outcome"][] = ["open", "deleting", "escalated"];

/** Returns nothing where the end is not known. */
function lasted({ at, endedAt, outcome }: Remediation, now: Date): string {
  if (endedAt !== undefined) return ageOf(at, new Date(endedAt));
  return GOES_ON.includes(outcome) ? ageOf(at, now) : "";
}
