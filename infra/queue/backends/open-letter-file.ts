import { homedir } from "node:os";
import { join } from "node:path";
import type { DeadLetters } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { LetterPorts } from "./backend.ts";

export function defaultLetterFile(): string {
  return join(homedir(), ".capstan", "dead-letters.jsonl");
}

/** Opens the dead letters of a file, by default `~/.capstan/dead-letters.jsonl`. */
export async function openLetterFile(ports: Omit<LetterPorts, "noteHint">): Promise<DeadLetters> {
  const { file = defaultLetterFile(), clock, log, writer } = ports;
  const { createJsonLinesDeadLetters } = await import("../letters/json-lines.ts");
  return createJsonLinesDeadLetters({ file, clock, log, compact: writer });
}
