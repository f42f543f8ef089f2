import { messageOf } from "../../shared/function/errors.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import { oneLine } from "../worker/health.ts";
import { Problem, problem } from "./problem.ts";

/** Does the work of a route; what its data source throws becomes a Problem that says since when it is so. */
type Watched = <T>(title: string, work: () => Promise<T>) => Promise<T>;

/** Errors of a defect, and not of a server that does not answer. */
const DEFECTS = new Set(["TypeError", "RangeError", "ReferenceError", "SyntaxError"]);

export function createOutages({ clock, log }: { readonly clock: Clock; readonly log: Log }): Watched {
  const since = new Map<string, string>();
  const problemOf = (title: string, error: unknown): Problem => {
    if (error instanceof Problem) return error;
    const text = textOf(error);
    if (isDefect(error)) {
      log.error({ route: title, error: text }, "bug: a route of the console failed");
      return problem("internal", "the console has a defect here", "the log of the console says more");
    }
    const begin = since.get(title) ?? clock.now().toISOString();
    if (!since.has(title)) log.warn({ route: title, error: text }, "the console cannot read its data");
    since.set(title, begin);
    const next = "it is tried again by itself";
    return problem("unavailable", `the data cannot be read: ${text}`, next, { since: begin });
  };
  return async (title, work) => {
    try {
      const done = await work();
      since.delete(title);
      return done;
    } catch (error) {
      throw problemOf(title, error);
    }
  };
}

function isDefect(error: unknown): boolean {
  return error instanceof Error && (DEFECTS.has(error.name) || error.message.startsWith("bug:"));
}

function textOf(error: unknown): string {
  return oneLine(messageOf(error));
}
