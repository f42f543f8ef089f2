import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { atEnd } from "./at-end.ts";

/**
 * `spawn` of a process that does not outlive this one, unless this one is killed with SIGKILL: a test that runs into its
 * time limit disposes of nothing, and who waits for the output of the test run would wait for the children it left.
 */
export const spawnChild = ((
  command: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess => {
  const child = spawn(command, args, options);
  const forget = atEnd(() => child.kill("SIGKILL"));
  child.once("exit", forget);
  return child;
}) as typeof spawn;
