import { pino } from "pino";
import type { Log } from "../../../shared/runtime/ports.ts";
import { escapedLines } from "../../platform/terminal/escape.ts";
import { withoutSecrets } from "./without-secrets.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/**
 * Returns a log of JSON lines, each one `write`; by default on standard error, so that standard output holds only the
 * output of a command. Texts and errors lose their credentials here, also those that a caller forgot, and characters
 * that a terminal does not show are escaped as JSON escapes them: `kubectl logs` prints to one (S-53).
 */
export function createLog(
  level: LogLevel,
  stream: { write(line: string): void } = pino.destination({ dest: 2, sync: true }),
): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        // Called only for levels that are logged.
        logMethod(given, method) {
          const [fields, message, ...more] = given as readonly unknown[];
          method.call(this, ...([withoutSecrets(fields), withoutSecrets(message), ...more] as typeof given));
        },
      },
    },
    { write: (line) => stream.write(escapedLines(line)) },
  );
}
