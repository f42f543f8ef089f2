import type { Command } from "commander";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import { isContractKind } from "../../shared/function/define-function.ts";
import { print, printJson } from "../platform/terminal/print.ts";
import { tableLines } from "../platform/terminal/table.ts";
import { loadFunctions } from "../worker/load.ts";

/** One function as `capstan functions` prints it. */
export interface FunctionRow {
  readonly name: string;
  readonly reconciles: string;
  readonly watches: readonly string[];
  readonly owns: readonly string[];
  readonly summary: string;
}

export function toRow({ spec }: AnyFunction): FunctionRow {
  const kindName = (on: AnyFunction["spec"]["watches"][number]["on"]): string =>
    isContractKind(on) ? on.contract : on.kind;
  const foreign = (spec.ownsOn ?? []).flatMap(({ kind, fields }) =>
    fields.map((field) => `${kindName(kind)} ${field}`),
  );
  const calls = (spec.calls ?? []).map(({ verb, kind }) => `${verb} ${kindName(kind)}`);
  return {
    name: spec.name,
    reconciles: spec.reconciles.kind,
    watches: [...new Set(spec.watches.map(({ on }) => kindName(on)))],
    owns: [...spec.owns.map((field) => `${spec.reconciles.kind} ${field}`), ...foreign, ...calls],
    summary: spec.summary,
  };
}

export function functionsCommand(command: Command): Command {
  return command
    .argument("[patterns...]", "names or patterns such as machinepool-*")
    .option("-o, --output <format>", "table, wide or json", "table")
    .action(async (patterns: string[], { output }: { output: string }) => {
      const rows = (await loadFunctions(patterns.length === 0 ? undefined : patterns)).map(toRow);
      if (output === "json") printJson(rows);
      else if (output === "wide") print(...wide(rows));
      else
        print(
          ...tableLines(
            ["NAME", "RECONCILES", "SUMMARY"],
            rows.map((row) => [row.name, row.reconciles, row.summary]),
          ),
        );
    });
}

function wide(rows: readonly FunctionRow[]): readonly string[] {
  return tableLines(
    ["NAME", "RECONCILES", "WATCHES", "WRITES", "SUMMARY"],
    rows.map((row) => [row.name, row.reconciles, row.watches.join(","), row.owns.join(","), row.summary]),
  );
}
