import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { assert } from "../../../shared/function/errors.ts";
import { spawnChild } from "./spawn-child.ts";

const MODULE = new URL("./spawn-child.ts", import.meta.url).href;

/** Starts a process that starts one of its own, which holds the output for as long as it lives. */
function startParent(then: string) {
  const code = `
    import { spawnChild } from ${JSON.stringify(MODULE)};
    spawnChild("sleep", ["600"], { stdio: ["ignore", "inherit", "inherit"] });
    console.log("started");
    ${then}`;
  return spawnChild(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
}

/** Resolves when no process holds the output any more. */
async function outputEnds(parent: ReturnType<typeof startParent>, started: () => void): Promise<void> {
  assert(parent.stdout !== null, "its output is a pipe");
  for await (const line of createInterface({ input: parent.stdout })) if (line === "started") started();
}

it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "ends the children of a process that %s ends",
  async (signal) => {
    const parent = startParent("setInterval(() => {}, 1_000);");
    const exit = once(parent, "exit");
    await outputEnds(parent, () => parent.kill(signal));
    expect(await exit).toEqual([null, signal]);
  },
);

it("ends a process, and its children, whose own parent is gone", async () => {
  const parent = startParent("setInterval(() => {}, 1_000);");
  const exit = once(parent, "exit");
  await outputEnds(parent, () => parent.disconnect());
  expect(await exit).toEqual([null, "SIGTERM"]);
});

it("ends the children of a process that comes to its end", async () => {
  const parent = startParent("process.exit(3);");
  const exit = once(parent, "exit");
  await outputEnds(parent, () => undefined);
  expect(await exit).toEqual([3, null]);
});
