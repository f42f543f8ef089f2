import { pino } from "pino";
import { maskText } from "../../../shared/redaction/redact.ts";

/** Fields of a log line are flat; deeper nesting does not help a reader. */
const MAX_DEPTH = 6;
const CREDENTIALS = /^(?:token|authorization|kubeconfig|password|passphrase|secret|cookie|credentials?)$/i;

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
