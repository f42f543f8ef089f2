import { pino } from "pino";
import { maskText } from "../../../shared/redaction/redact.ts";
import type { Log } from "../../../shared/runtime/ports.ts";
import { escapedLines } from "../../platform/terminal/escape.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/** Fields of a log line are flat; deeper nesting does not help a reader. */
const MAX_DEPTH = 6;

const CREDENTIALS = /^(?:token|authorization|kubeconfig|password|passphrase|secret|cookie|credentials?)$/i;

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

/**
 * Returns the fields of a log line without credentials: by the names of fields, and in texts and errors. Functions are
 * asked for their value.
 */
export function withoutSecrets(value: unknown): unknown {
  return visit(value, 0);
}

function visit(value: unknown, depth: number): unknown {
  if (typeof value === "function") return visit(value(), depth + 1);
  if (typeof value === "string") return maskText(value);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (depth >= MAX_DEPTH) return "…";
  if (Array.isArray(value)) return value.map((element) => visit(element, depth + 1));
  const plain: object = value instanceof Error ? pino.stdSerializers.err(value) : value;
  return Object.fromEntries(
    Object.entries(plain).map(([name, member]) => [
      name,
      CREDENTIALS.test(name) && member !== undefined ? "[Redacted]" : visit(member, depth + 1),
    ]),
  );
}
