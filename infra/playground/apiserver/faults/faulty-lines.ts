import type { Clock } from "../../../../shared/runtime/ports.ts";
import { expired, internalError, type StatusError } from "../errors/status-error.ts";
import type { Lines } from "../request/exchange.ts";
import type { StreamEffect } from "./fault.ts";

const DEFAULT_LATE_MS = 1_000;

/** Lines that pass unharmed until the fault's turn comes. */
export function faultyLines(
  { as, afterEvents = 0, ms = DEFAULT_LATE_MS }: StreamEffect,
  lines: Lines,
  clock: Clock,
): Lines {
  let passed = 0;
  let isMute = false;
  const strike = (): void => {
    isMute = as === "stall";
    BETWEEN[as]?.(lines);
  };
  if (afterEvents === 0) strike();
  return {
    send(line) {
      if (isMute) return;
      const isStruck = passed++ === afterEvents;
      if (as === "late" && passed > afterEvents) clock.after(ms, () => lines.send(line));
      else if (!(as === "drop" && isStruck)) lines.send(line);
      if (as === "duplicate" && isStruck) lines.send(line);
      if (passed === afterEvents) strike();
    },
    // Who stalls does not even say that it is over.
    end: () => (isMute ? undefined : lines.end()),
    reset: () => lines.reset(),
  };
}

/** Fault between two events. */
const BETWEEN: { readonly [as: string]: ((lines: Lines) => void) | undefined } = {
  end: (lines) => lines.end(),
  reset: (lines) => lines.reset(),
  expire: (lines) => fail(lines, expired("injected: too old resource version")),
  error: (lines) => fail(lines, internalError("injected: Internal error occurred")),
  garbage: (lines) => lines.send("<html>502 Bad Gateway</html>\n"),
  unknownType: (lines) => lines.send('{"type":"SURPRISE","object":{"kind":"Surprise"}}\n'),
  halfLine: (lines) => {
    lines.send('{"type":"MODIFIED","object":{"apiVersion":"v1","ki');
    lines.end();
  },
};

function fail(lines: Lines, error: StatusError): void {
  lines.send(`{"type":"ERROR","object":${JSON.stringify(error.toStatus())}}\n`);
  lines.end();
}
