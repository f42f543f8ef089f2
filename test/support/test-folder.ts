import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made = new Set<string>();

/** Makes an empty folder of this machine. It is removed behind the last test of its file, or with the process. */
export function testFolder(name: string): string {
  if (made.size === 0) process.once("exit", removeTestFolders);
  const folder = mkdtempSync(join(tmpdir(), `capstan-${name}-`));
  made.add(folder);
  return folder;
}

/** Removes them: test/support/compiled.ts calls it behind each test file. */
export function removeTestFolders(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
  made.clear();
  process.off("exit", removeTestFolders);
}
