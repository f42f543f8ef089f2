import { titleOfWrite } from "../../../shared/runtime/letters/run-entry.ts";
import type { FieldChange, RunEntry, Written } from "../../../shared/runtime/letters/run-history.ts";
import { paint } from "../../platform/terminal/paint.ts";
import { tableLines } from "../../platform/terminal/table.ts";
import { oneLine } from "../tree/fact-lines.ts";

/** An item of `-o json`. */
export interface NotedRun extends RunEntry {
  readonly function: string;
  readonly key: string;
}

const MAX_CHANGES = 3;

/** Returns a row for each run, and one for each further write of it. */
export function historyTable(runs: readonly NotedRun[]): readonly string[] {
  return tableLines(["TIME", "FUNCTION", "CAUSE", "OUTCOME", "WRITES", "NEXT"], runs.flatMap(rowsOf));
}

function rowsOf(run: NotedRun): readonly (readonly string[])[] {
  const [first = "", ...others] = writesOf(run);
  const row = [timeOf(run.endedAt), run.function, causeOf(run), outcomeOf(run), first, nextOf(run)];
  return [row, ...others.map((write) => ["", "", "", "", write, ""])];
}

/** Returns the time in seconds, as in the log. */
function timeOf(at: string): string {
  return at.replace(/\.\d+Z$/, "Z");
}

function causeOf({ causes }: RunEntry): string {
  const [newest, ...others] = causes;
  if (newest === undefined) return "";
  const { what, resourceVersion } = newest;
  const version = resourceVersion === undefined ? "" : `@${resourceVersion}`;
  return `${oneLine(what)}${version}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}

function outcomeOf(run: RunEntry): string {
  const { outcome, failure, writes, times = 1 } = run;
  if (failure !== undefined) return paint("red", `${failure.reason}: ${oneLine(failure.message)}`);
  const waits = waitOf(run);
  if (writes.length > 0) return waits === undefined ? "wrote" : `wrote, ${waits}`;
  const idle = outcome === "again" ? "not up to date" : (waits ?? "nothing to do");
  return paint("dim", times === 1 ? idle : `${times} × ${idle}`);
}

/** Returns what it waits for; with a time it is why the function runs again by itself. */
function waitOf({ waitingFor, afterMs }: RunEntry): string | undefined {
  if (waitingFor === undefined) return undefined;
  return afterMs === undefined ? `waits for ${oneLine(waitingFor)}` : oneLine(waitingFor);
}

function writesOf({ writes, moreWrites = 0 }: RunEntry): readonly string[] {
  return [...writes.map(writeText), ...(moreWrites === 0 ? [] : [`and ${moreWrites} more`])];
}

function writeText(write: Written): string {
  const { resourceVersion, changes, moreChanges = 0 } = write;
  const version = resourceVersion === undefined ? "" : `@${resourceVersion}`;
  const more = changes.length - MAX_CHANGES + moreChanges;
  const shown = changes.slice(0, MAX_CHANGES).map(changeText).join(", ");
  const fields = shown === "" ? "" : `: ${shown}${more > 0 ? ` and ${more} more` : ""}`;
  return `${titleOfWrite(write)}${version}${fields}`;
}

function changeText({ path, value, removed }: FieldChange): string {
  if (removed === true) return `${path} removed`;
  return value === undefined ? path : `${path}=${value}`;
}

function nextOf({ failure, afterMs }: RunEntry): string {
  if (failure?.class === "Terminal") return "in 10 to 15 minutes, or when its object changes";
  if (failure !== undefined) return "again with backoff";
  return afterMs === undefined ? "on an event" : `after ${(afterMs / 1_000).toFixed(1)}s`;
}
