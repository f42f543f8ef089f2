import { type Command, InvalidArgumentError, Option } from "commander";
import { ALL_RULES } from "../../../shared/contract/rules/all.ts";
import { type ContractRole, readContractRole } from "../../../shared/contract/rules/crd/contract-kinds.ts";
import { print, printError, printJson } from "../../platform/terminal/print.ts";
import type { Outcome } from "../../providers/contract/finding.ts";
import { checkWaivers, readWaiver, type Waivers } from "../../providers/contract/waivers.ts";
import { exitAsWronglyCalled, outputOption } from "../options.ts";

/** Options of a command that judges. */
export interface JudgingOptions {
  readonly as: ReadonlyMap<string, ContractRole | undefined>;
  readonly waive: Waivers;
  readonly failOn: "fail" | "warn";
  readonly verbose?: boolean;
  readonly output: "text" | "json" | "sarif";
}

/** Parts of a report beside its findings. */
interface Beside {
  /** Members of the JSON document. */
  readonly members?: object;
  /** Lines before those of the findings. */
  readonly lines?: readonly string[];
}

/** Prints the report to standard output and inputs that could not be read to standard error. Returns the exit status. */
export async function printReport(
  outcome: Outcome,
  { failOn, output, verbose }: JudgingOptions,
  { members = {}, lines = [] }: Beside = {},
): Promise<number> {
  const { exitStatus, toReport } = await import("../../providers/contract/report.ts");
  const status = exitStatus(outcome, failOn);
  switch (output) {
    case "json":
      printJson({ ...toReport(outcome), ...members });
      break;
    case "sarif": {
      const { toSarif } = await import("../../providers/contract/report.ts");
      printJson(toSarif(outcome, status));
      break;
    }
    case "text": {
      const { reportLines } = await import("./report-text.ts");
      const report = outcome.findings.length > 0 ? reportLines(outcome, verbose === true) : [];
      for (const line of [...lines, ...report]) print(line);
      break;
    }
    default:
      output satisfies never;
  }
  for (const { file, line, message } of outcome.problems) {
    printError(`${file}${line === undefined ? "" : `:${line}`}: ${message}`);
  }
  return status;
}

export function addJudgingOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--as <kind>", "GROUP/KIND=CONTRACT: judge a kind by this contract or none (repeatable)")
        .argParser(addRole)
        .default(new Map(), "by its name"),
    )
    .addOption(
      new Option("--waive <waiver>", "RULE=REASON: do not count findings of this rule (repeatable)")
        .argParser(addWaiver)
        .default(new Map(), "none"),
    )
    .addOption(
      new Option("--fail-on <verdict>", "end with 1 for it").choices(["fail", "warn"]).default("fail"),
    )
    .option("--verbose", "print what passes, does not apply or is not known, too")
    .addOption(outputOption("text", "json", "sarif"))
    .exitOverride(exitAsWronglyCalled);
}

function addWaiver(text: string, waivers: Map<string, string>) {
  try {
    const [rule, reason] = readWaiver(text);
    waivers.set(rule, reason);
    checkWaivers(waivers, new Set(ALL_RULES.map(({ id }) => id)));
    return waivers;
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? `${error.message}.` : String(error));
  }
}

function addRole(text: string, roles: Map<string, ContractRole | undefined>) {
  const [, kind = "", contract = ""] = /^([^/=\s]+\/[^/=\s]+)=(.+)$/.exec(text) ?? [];
  if (kind === "") throw new InvalidArgumentError("Write GROUP/KIND=CONTRACT.");
  const named = readContractRole(contract);
  if (named === undefined) {
    throw new InvalidArgumentError(
      `Contract ${contract} is unknown; write InfraMachinePool, ControlPlane, InfraCluster, InfraMachine, BootstrapConfig, IPAMPool or none.`,
    );
  }
  return roles.set(kind, named.role);
}
