import type { TenantDepth } from "../../../shared/runtime/queue/queue-port.ts";
import type { QueuePeek } from "../../../shared/runtime/queue/queue-reader.ts";
import { tableLines, timeText } from "../../platform/terminal/table.ts";

/** A function in the output of `capstan queue`. */
export interface QueueRow extends QueuePeek {
  readonly function: string;
  /** Those with the most keys, most first. */
  readonly tenants?: { readonly [tenant: string]: TenantDepth };
}

export function tableOf(rows: readonly QueueRow[]): readonly string[] {
  const header = ["FUNCTION", "DEPTH", "OLDEST READY", "RUNNING", "WAITING", "DEAD", "NEXT DUE", "STATE"];
  return tableLines(header, rows.map(cellsOf));
}

export function tenantsTable(rows: readonly QueueRow[]): readonly string[] {
  return tableLines(
    ["FUNCTION", "TENANT", "DEPTH", "RUNNING", "WAITING", "DEAD"],
    rows.flatMap((row) => [
      [row.function, "(all)", ...countsOf(row)],
      ...Object.entries(row.tenants ?? {}).map(([tenant, depth]) => ["", tenant, ...countsOf(depth)]),
    ]),
  );
}

/** One line about a function without what passes by itself, such as ages. */
export function changeText(row: QueueRow): string {
  const [depth, running, waiting, dead] = countsOf(row);
  const state = stateOf(row);
  return `${row.function}  ready ${depth}  running ${running}  waiting ${waiting}  dead ${dead}${state === "" ? "" : `  ${state}`}`;
}

function cellsOf(row: QueueRow): readonly string[] {
  const { oldestReadyMs = {}, nextDueMs } = row;
  const oldest = Math.max(oldestReadyMs.live ?? -1, oldestReadyMs.resync ?? -1);
  const [depth = "", ...counts] = countsOf(row);
  return [
    row.function,
    depth,
    row.ready === 0 || oldest < 0 ? "" : timeText(oldest),
    ...counts,
    nextDueMs === undefined ? "" : timeText(nextDueMs),
    stateOf(row),
  ];
}

function stateOf({ paused, pausedInBullmq, breakerOpen }: QueueRow): string {
  if (paused === true) return "paused";
  if (pausedInBullmq === true) return "paused in BullMQ";
  return breakerOpen === true ? "breaker open" : "";
}

function countsOf({ ready, running, waiting, dead }: TenantDepth): readonly string[] {
  return [ready, running, waiting, dead].map(String);
}
