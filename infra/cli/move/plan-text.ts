import { staysBehind } from "../../../shared/contract/rules/move/left-behind.ts";
import type { MoveSubject } from "../../../shared/contract/rules/move/subject.ts";
import { counted } from "../../../shared/rules/conditions/counted.ts";
import { bold, paint } from "../../platform/terminal/paint.ts";
import { tableLines } from "../../platform/terminal/table.ts";
import type { Finding } from "../../providers/contract/finding.ts";
import { toReport } from "../../providers/contract/report.ts";
import { section } from "../plan-lines.ts";

/** Whether the move can go, what stops it, what to know, what stays behind, and the order. */
export function planLines(subject: MoveSubject, found: readonly Finding[]): readonly string[] {
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
