import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";

const children = new Set<ChildProcess>();

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
  if (children.size === 0) {
    process.once("exit", killChildren);
    process.once("SIGTERM", endWithChildren);
  }
  children.add(child);
  child.once("exit", () => {
    children.delete(child);
    if (children.size > 0) return;
    process.off("exit", killChildren);
    process.off("SIGTERM", endWithChildren);
  });
  return child;
}) as typeof spawn;

function killChildren(): void {
  for (const child of children) child.kill("SIGKILL");
}

/** The handler is gone by now, so the same signal again ends this process as if there had been none. */
function endWithChildren(): void {
  killChildren();
  process.kill(process.pid, "SIGTERM");
}
