import { flushCompileCache } from "node:module";
import { afterAll } from "vitest";
import { removeTestFolders } from "./test-folder.ts";

// Vitest ends its workers with SIGTERM, and Node keeps at an exit only what it has compiled.
afterAll(() => flushCompileCache());
afterAll(removeTestFolders);
