import type { Command } from "commander";
import { SECOND } from "../../shared/function/backoff.ts";
import { messageOf } from "../../shared/function/errors.ts";
import type { Clock } from "../../shared/runtime/ports.ts";
import { rest } from "../platform/rest.ts";
import { paint } from "../platform/terminal/paint.ts";
import { print, printError, printJson } from "../platform/terminal/print.ts";
import { stopRequested } from "./options.ts";
import { createLiveArea } from "./terminal/live-area.ts";

/** Rows that a command shows: once, or as they change. */
export interface Shown<R> {
  readonly clock: Clock;
  /** The time between two looks; default: a second. */
  readonly everyMs?: number;
  look(): Promise<readonly R[]>;
  /** Returns an id that is different for every row. */
  idOf(row: R): string;
  /** Draws the rows for people, below one another. */
  draw(rows: readonly R[]): readonly string[];
  /** One line about a row without what passes by itself, such as ages: another text is a change. */
  text(row: R): string;
}

interface WatchOptions {
  readonly output: string;
  readonly watch: boolean;
}

const LOOK_EVERY_MS = SECOND;
/** The rows below the others, where the cursor stands. */
const MARGIN_ROWS = 2;

export function addWatchOption(command: Command): Command {
  return command.option(
    "--watch",
    "continue until Ctrl-C: in place on a terminal, elsewhere one line per change",
    false,
  );
}

/** Shows the rows once; with `watch` until the process is asked to stop. */
export async function watchRows<R>({ output, watch }: WatchOptions, shown: Shown<R>): Promise<void> {
  const isJson = output === "json";
  const rows = await shown.look();
  if (!watch) return isJson ? printJson(rows) : print(...shown.draw(rows));
  const show = !isJson && process.stdout.isTTY ? drawing(shown) : printing(shown, isJson);
  const stop = new AbortController();
  void stopRequested().then(() => stop.abort());
  show(rows);
  const look = retrying(shown);
  while (!stop.signal.aborted) {
    await rest(shown.everyMs ?? LOOK_EVERY_MS, shown.clock, stop.signal);
    const now = stop.signal.aborted ? undefined : await look();
    if (now !== undefined) show(now);
  }
}

/** Retries: while nothing can be read, what is shown stays; the reason is printed once. */
function retrying<R>({ look }: Shown<R>): () => Promise<readonly R[] | undefined> {
  let problem: string | undefined;
  return async () => {
    try {
      const rows = await look();
      if (problem !== undefined) printError("it answers again");
      problem = undefined;
      return rows;
    } catch (error) {
      const message = messageOf(error);
      if (message !== problem) printError(`${message}; what is shown is old until it answers again`);
      problem = message;
      return undefined;
    }
  };
}

function drawing<R>({ draw }: Shown<R>): (rows: readonly R[]) => void {
  const area = createLiveArea(process.stdout);
  return (rows) => {
    const room = Math.max(1, area.size().rows - MARGIN_ROWS);
    const lines = draw(rows);
    const more = lines.length - room + 1;
    area.draw(
      more > 1
        ? [...lines.slice(0, room - 1), paint("dim", `… ${more} more lines than fit on this screen`)]
        : lines,
    );
  };
}

/** The first time every row, later only those that have changed. */
function printing<R>({ idOf, text }: Shown<R>, isJson: boolean): (rows: readonly R[]) => void {
  let before: ReadonlyMap<string, string> = new Map();
  return (rows) => {
    const now = new Map(rows.map((row) => [idOf(row), text(row)]));
    for (const row of rows) {
      const [id, line] = [idOf(row), text(row)];
      if (before.get(id) === line) continue;
      if (isJson) printJson(row, 0);
      else print(line);
    }
    for (const id of before.keys()) {
      if (now.has(id)) continue;
      if (isJson) printJson({ gone: id }, 0);
      else print(`${id}  gone`);
    }
    before = now;
  };
}
