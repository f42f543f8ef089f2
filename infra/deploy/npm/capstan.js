#!/usr/bin/env node
// Starts Capstan, which needs a newer Node.js than that which can read this.
if (Number(process.versions.node.split(".")[0]) < 24) {
  process.stderr.write(
    `capstan: Node.js 24 is needed, and this is ${process.versions.node}; install it from nodejs.org\n`,
  );
  process.exit(1);
}
(await import("node:module")).enableCompileCache();
await import("./main.js");
