import { Command } from "commander";
import { Event } from "../../../shared/api/core.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";
import { systemClock } from "../../clock.ts";
import { readEnvironment } from "../../config.ts";
import { readManagement } from "../management.ts";
import { outputOption } from "../options.ts";
import { ageOf, tableLines } from "../table.ts";
import { openLog } from "../terminal/log.ts";
import { print, printJson } from "../terminal/print.ts";
import { type Remediation, type RemediationSources, remediationsOf } from "./remediation-list.ts";

interface RemediationsOptions {
  readonly kubeconfig?: string;
  readonly output: string;
}

/** More remediations do not fit on a screen; `-o json` has all of them. */
const MAX_ROWS = 50;
const MAX_EVENTS = 10_000;

export function remediationsCommand(): Command {
  return new Command("remediations")
    .description(
      "List remediations of Machines, the newest first: when, by which health check, with which outcome",
    )
    .argument("[namespace]", "of this namespace only")
    .option(
      "--kubeconfig <file>",
      "management cluster (default: KUBECONFIG, in-cluster files, ~/.kube/config)",
    )
    .addOption(outputOption("table", "json"))
    .addHelpText(
      "after",
      "\nExamples:\n  capstan remediations\n  capstan remediations default -o json\n\nEvents and conditions are the source: most servers forget an Event after an hour, and conditions go with their Machine.",
    )
    .action(async (namespace: string | undefined, options: RemediationsOptions) => {
      const log = openLog(readEnvironment().CAPSTAN_LOG_LEVEL);
      const connect = await readManagement(options.kubeconfig, { clock: systemClock, log });
      using server = connect();
      const found = remediationsOf(await readSources(server.as("remediations"), namespace));
      if (options.output === "json") printJson(found);
      else print(...textOfRemediations(found, systemClock.now()));
    });
}

async function readSources(client: KubeClient, namespace: string | undefined): Promise<RemediationSources> {
  const where = { path: "reason", values: ["MachineMarkedUnhealthy"] };
  const [events, machines, checks] = await Promise.all([
    client.list(Event, { namespace, where, maxItems: MAX_EVENTS }),
    client.list(Machine, { namespace }),
    client.list(MachineHealthCheck, { namespace }),
  ]);
  return { events: events.items, machines: machines.items, checks: checks.items };
}

/** One row per remediation, of the newest ones. */
export function textOfRemediations(found: readonly Remediation[], now: Date): readonly string[] {
  if (found.length === 0) return ["no remediations: no Event and no condition names one"];
  const rows = found
    .slice(0, MAX_ROWS)
    .map((one) => [
      `${one.at} (${ageOf(one.at, now)} ago)`,
      one.healthCheck ?? "",
      one.machine,
      one.reason ?? "",
      one.actor ?? "",
      one.outcome,
      lasted(one, now),
    ]);
  const more = found.length - rows.length;
  return [
    ...tableLines(["WHEN", "CHECK", "MACHINE", "REASON", "ACTED", "OUTCOME", "LASTED"], rows),
    ...(more > 0 ? [`and ${more} older ones; -o json shows all`] : []),
  ];
}

/** Nothing where the end is not known. */
function lasted({ at, endedAt, outcome }: Remediation, now: Date): string {
  if (endedAt !== undefined) return ageOf(at, new Date(endedAt));
  return outcome === "open" || outcome === "deleting" ? ageOf(at, now) : "";
}
