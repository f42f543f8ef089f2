import { pino } from "pino";
import type { Log } from "../../shared/runtime/ports.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

/**
 * JSON lines on standard error, so that standard output belongs to what a command prints. Credentials never reach a
 * log call; the redaction is the second line of defence.
 */
export function createLog(level: LogLevel): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: ["token", "*.token", "authorization", "*.authorization", "kubeconfig", "*.kubeconfig"],
      },
      serializers: { error: pino.stdSerializers.err },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
