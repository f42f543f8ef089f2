import { type Command, InvalidArgumentError } from "commander";
import { type StaysBehind, staysBehind } from "../../../shared/contract/rules/move/left-behind.ts";
import { MOVE_RULES } from "../../../shared/contract/rules/move/rules.ts";
import type { MoveSubject } from "../../../shared/contract/rules/move/subject.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import { counted } from "../../../shared/rules/conditions/counted.ts";
import { systemClock } from "../../platform/clock.ts";
import { bold, paint } from "../../platform/terminal/paint.ts";
import { print, printError, printJson } from "../../platform/terminal/print.ts";
import { tableLines } from "../../platform/terminal/table.ts";
import { readMovePlan } from "../../providers/clusterctl/move/read-plan.ts";
import type { Finding } from "../../providers/contract/finding.ts";
import { judge } from "../../providers/contract/judge.ts";
import { exitStatus, type Report, toReport } from "../../providers/contract/report.ts";
import { openForeignServer } from "../management.ts";
import { exitAsWronglyCalled, outputOption } from "../options.ts";
import { section } from "../tree/lines.ts";

interface PlanOptions {
  readonly namespace: string;
  readonly kubeconfig?: string;
  readonly toKubeconfig?: string;
  readonly try?: true;
  readonly output: string;
}

const EXAMPLES = `
Examples:
  capstan move plan -n default
  capstan move plan -n default --to-kubeconfig target.kubeconfig --try -o json

Only reads, on both sides. Exit status: 0 nothing stops the move, 1 a finding with "fail", 2 a cluster cannot be read.`;

export function planCommand(command: Command): Command {
  return command
    .requiredOption("-n, --namespace <name>", "the namespace whose Clusters move", parseNamespace)
    .option("--kubeconfig <file>", "source (default: KUBECONFIG, in-cluster files, ~/.kube/config)")
    .option("--to-kubeconfig <file>", "target; without one, rules about the target are unknown")
    .option("--try", "ask the target to create each object as a dry run, which stores nothing")
    .addOption(outputOption("text", "json"))
    .addHelpText("after", EXAMPLES)
    .exitOverride(exitAsWronglyCalled)
    .action(async (options: PlanOptions) => {
      try {
        process.exitCode = await runPlan(options);
      } catch (error) {
        printError(messageOf(error));
        process.exitCode = 2;
      }
    });
}

const DNS_LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

function parseNamespace(text: string): string {
  if (DNS_LABEL.test(text)) return text;
  throw new InvalidArgumentError(`"${text}" is not the name of a namespace`);
}

/** The report of the contract checker, with what moves and what does not. */
interface PlanReport extends Report {
  /** `Kind namespace/name` in the order of creation; each group needs those before it. */
  readonly order: readonly (readonly string[])[];
  readonly staysBehind: readonly StaysBehind[];
}

export function judgeMove(subject: MoveSubject): readonly Finding[] {
  const place = { object: `Namespace ${subject.namespace}` };
  return judge(MOVE_RULES, [{ subject, place, contract: "v1beta2" }], new Map());
}

function planReport(subject: MoveSubject, findings: readonly Finding[]): PlanReport {
  return {
    ...toReport({ crds: [], findings }),
    order: subject.order,
    staysBehind: staysBehind(subject),
  };
}

async function runPlan(options: PlanOptions): Promise<number> {
  if (options.try === true && options.toKubeconfig === undefined) {
    throw new Error("--try asks the target: name it with --to-kubeconfig");
  }
  using source = await openForeignServer(options.kubeconfig, systemClock);
  using target =
    options.toKubeconfig === undefined
      ? undefined
      : await openForeignServer(options.toKubeconfig, systemClock);
  const subject = await readMovePlan(
    { source, target },
    { namespace: options.namespace, tries: options.try },
  );
  const findings = judgeMove(subject);
  if (options.output === "json") printJson(planReport(subject, findings));
  else print(...planLines(subject, findings));
  return exitStatus({ crds: [], findings, problems: [], rules: [] }, "fail");
}

/** Whether the move can go, what stops it, what to know, what stays behind, and the order. */
function planLines(subject: MoveSubject, found: readonly Finding[]): readonly string[] {
  const { findings, summary } = toReport({ crds: [], findings: found });
  const of = (...verdicts: readonly string[]) => findings.filter(({ verdict }) => verdicts.includes(verdict));
  const stays = staysBehind(subject);
  return [
    headline(subject, summary.fail),
    ...section("Stops the move, or loses something", of("fail").map(findingLine)),
    ...section("To know", of("warn").map(findingLine)),
    ...section("Not decided", of("unknown").map(findingLine)),
    ...section(
      "Stays behind",
      stays.length === 0
        ? []
        : tableLines(
            ["OBJECT", "WHY"],
            stays.map(({ object, why }) => [object, why]),
          ),
    ),
    ...section("Order", orderLines(subject)),
  ];
}

function headline({ namespace, objects, order }: MoveSubject, fails: number): string {
  const moving = order.flat().length;
  const clusters = objects.filter(
    ({ kind, fate, cluster }) => kind === "Cluster" && cluster && fate === "moves",
  );
  const what = `Namespace ${namespace}: ${counted(clusters.length, "Cluster")}, ${counted(moving, "object")} in ${counted(order.length, "group")}`;
  if (fails > 0) return `${bold(what)}: ${paint("red", `do not move yet, ${counted(fails, "finding")}`)}`;
  if (moving === 0) return `${bold(what)}: ${paint("yellow", "nothing to move")}`;
  return `${bold(what)}: ${paint("green", "nothing stops the move")}`;
}

function findingLine({ rule, verdict, object, path, found, expected, effect }: Finding): string {
  const colour = { fail: "red", warn: "yellow", unknown: "cyan", pass: "green", na: "dim" } as const;
  const where = path === undefined ? object : `${object} ${path}`;
  const what = [found, expected === undefined ? undefined : `expected ${expected}`].filter(
    (part) => part !== undefined,
  );
  return `${paint(colour[verdict], rule)} ${where}: ${what.join("; ")} ${paint("dim", `(${effect})`)}`;
}

/** One line for each group: kinds with counts. */
function orderLines({ order }: MoveSubject): readonly string[] {
  return order.map((group, at) => {
    const kinds = Map.groupBy(group, (title) => title.slice(0, title.indexOf(" ")));
    const parts = [...kinds].map(([kind, of]) =>
      of.length === 1 ? (of[0] ?? kind) : `${of.length} ${kind}`,
    );
    return `${at + 1}. ${parts.join(", ")}`;
  });
}
