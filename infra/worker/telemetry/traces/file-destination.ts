import { stat } from "node:fs/promises";
import { appendPrivateFile } from "../../../platform/private-file.ts";
import type { Destination } from "./exporter.ts";

const LIMIT_BYTES = 256 * 1024 * 1024;

/**
 * Appends spans to a file with mode 0600, one request of OTLP in each line, as the file exporter of OpenTelemetry's
 * collector does. Refuses what would go beyond 256 MiB.
 */
export function fileDestination(file: string): Destination {
  return {
    async send(text) {
      const size = await stat(file).then(
        (found) => found.size,
        () => 0,
      );
      if (size + text.length > LIMIT_BYTES) return "refused";
      await appendPrivateFile(file, `${text}\n`);
      return "sent";
    },
    [Symbol.dispose]: () => undefined,
  };
}
