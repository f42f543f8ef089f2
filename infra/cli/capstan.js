#!/usr/bin/env node
// Starts main.ts with the Node.js that `npm ci` has installed, also where an older one runs this file.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const pathOf = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const [major = "0"] = process.versions.node.split(".");
if (Number(major) >= 24) {
  // Before main.ts, so that its compiled form is kept as well.
  const { enableCompileCache } = await import("node:module");
  enableCompileCache();
  await import("./main.ts");
} else {
  const args = [pathOf("main.ts"), ...process.argv.slice(2)];
  const child = spawn(pathOf("../../node_modules/.bin/node"), args, { stdio: "inherit" });
  // A terminal sends Ctrl-C to both.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.once("exit", (code, signal) => process.exit(code ?? (signal === "SIGTERM" ? 143 : 1)));
}
