import { createRequire } from "node:module";
import type { Log } from "../../../shared/runtime/ports.ts";
import { escaped } from "../../platform/terminal/escape.ts";
import { createLog, type LogLevel } from "../../worker/telemetry/log.ts";

const require = createRequire(import.meta.url);

/**
 * Returns the log of a command: on a terminal lines for people, elsewhere JSON. `write` gets the lines for people, by
 * default standard error does.
 */
export function openLog(level: LogLevel, write = (text: string): unknown => process.stderr.write(text)): Log {
  return process.stderr.isTTY ? createLog(level, { write: prettyWriter(write) }) : createLog(level);
}

/**
 * Turns a line of JSON into `[12:00:00.123] WARN: the watch failed {"loop":"…"}`. It runs in this thread, so that no
 * line is lost when the process ends; loaded with the first line only (decision record 1).
 */
export function prettyWriter(write: (text: string) => unknown, colorize = true): (line: string) => void {
  let pretty: ((input: object) => string) | undefined;
  return (line) => {
    pretty ??= openPretty(colorize);
    write(pretty(escapedValues(JSON.parse(line)) as object));
  };
}

function openPretty(colorize: boolean): (input: object) => string {
  const { prettyFactory } = require("pino-pretty") as typeof import("pino-pretty");
  return prettyFactory({ colorize, translateTime: "SYS:HH:MM:ss.l", singleLine: true });
}

/** A log quotes foreign names and messages; only a stack may have several lines. */
function escapedValues(value: unknown, key?: string): unknown {
  if (typeof value === "string") {
    return key === "stack" ? value.split("\n").map(escaped).join("\n") : escaped(value);
  }
  if (Array.isArray(value)) return value.map((one) => escapedValues(one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [escaped(name), escapedValues(one, name)]),
  );
}
