import type { Log } from "../../shared/runtime/ports.ts";

export interface LogLine {
  readonly level: keyof Log;
  readonly fields: object;
  readonly message: string;
}

function asWritten(fields: object): object {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "function" ? value() : value,
  ]);
  return Object.fromEntries(entries);
}

/** A log for tests that look at it. */
export function recordingLog(): { readonly log: Log; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: keyof Log) =>
    (fields: object, message: string): void => {
      lines.push({ level, fields: asWritten(fields), message });
    };
  return { log: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") }, lines };
}
