import type { Log } from "../../shared/runtime/ports.ts";

/** For tests that do not look at the log. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
