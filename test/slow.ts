import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/*
 * Runs a command with every process that it starts at a third of one core, each on its own: what tests meet on a slow
 * machine. Needs Linux and a control group folder that it may write, in practice root. Exit code of the command; 69
 * when this machine cannot do it.
 *
 *   node test/slow.ts npx vitest run --config test/vitest.config.ts FILE…
 */

const PERIOD_US = 100_000;
const QUOTA_US = PERIOD_US / 3;
/** A process runs at full speed until it is seen, and shares its parent's quota for no longer. */
const LOOK_MS = 20;
const UNAVAILABLE = 69;
const PROCESSES = "cgroup.procs";
/** The group that the command enters by itself, and that is empty until then. */
const FIRST = "first";

interface Limits {
  readonly folder: string;
  /** File and text that give a group a third of a core. */
  readonly set: readonly (readonly [file: string, text: string])[];
}

/** Version 1 has a folder per controller, version 2 one for all. */
function findLimits(): Limits | undefined {
  const quota = String(Math.round(QUOTA_US));
  const first = "/sys/fs/cgroup/cpu";
  if (existsSync(join(first, "cpu.cfs_quota_us"))) {
    const set = [
      ["cpu.cfs_period_us", String(PERIOD_US)],
      ["cpu.cfs_quota_us", quota],
    ] as const;
    return { folder: join(first, `capstan-slow-${process.pid}`), set };
  }
  const second = "/sys/fs/cgroup";
  const controllers = join(second, "cgroup.subtree_control");
  if (!existsSync(controllers)) return undefined;
  if (!readFileSync(controllers, "utf8").split(/\s/).includes("cpu")) writeFileSync(controllers, "+cpu");
  const folder = join(second, `capstan-slow-${process.pid}`);
  mkdirSync(folder);
  writeFileSync(join(folder, "cgroup.subtree_control"), "+cpu");
  return { folder, set: [["cpu.max", `${quota} ${PERIOD_US}`]] };
}

/** Gives the path of the list of its processes. */
function makeGroup({ folder, set }: Limits, name: string): string {
  const group = join(folder, name);
  mkdirSync(group, { recursive: true });
  for (const [file, text] of set) writeFileSync(join(group, file), text);
  return join(group, PROCESSES);
}

/** A group of its own for one process; its children are born into it. */
function limit(limits: Limits, pid: string): void {
  try {
    writeFileSync(makeGroup(limits, pid), pid);
  } catch {
    // It has ended meanwhile; the next look removes its group.
  }
}

function groupsIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((each) =>
    each.isDirectory() ? [each.name] : [],
  );
}

/** Moves what was born since the last look, removes the groups of what has ended; the number of processes. */
function look(limits: Limits): number {
  let alive = 0;
  for (const group of groupsIn(limits.folder)) {
    const pids = readFileSync(join(limits.folder, group, PROCESSES), "utf8")
      .split("\n")
      .filter(Boolean);
    alive += pids.length;
    for (const pid of pids) if (pid !== group) limit(limits, pid);
    if (pids.length === 0 && group !== FIRST) remove(join(limits.folder, group));
  }
  return alive;
}

function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // A process has just started in it, or is still ending: look again.
  }
}

/** Undefined, and a line that says why, where no group can be made. */
function prepare(): Limits | undefined {
  try {
    const limits = findLimits();
    if (limits !== undefined) mkdirSync(limits.folder, { recursive: true });
    return limits;
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    return undefined;
  }
}

async function main([command, ...args]: readonly string[]): Promise<number> {
  if (command === undefined) throw new TypeError("no command; node test/slow.ts COMMAND…");
  const limits = prepare();
  if (limits === undefined) {
    process.stderr.write("no control group can be made here; run it as root on Linux\n");
    return UNAVAILABLE;
  }
  // Limited before it can start anything.
  const enter = ["-c", 'echo $$ > "$0" && exec "$@"', makeGroup(limits, FIRST)];
  const child = spawn("sh", [...enter, command, ...args], { stdio: "inherit" });
  let most = 0;
  let over = false;
  const ended = once(child, "exit").finally(() => {
    over = true;
  });
  while (!over) {
    most = Math.max(most, look(limits));
    await Promise.race([ended, setTimeout(LOOK_MS)]);
  }
  const [code] = await ended;
  look(limits);
  remove(join(limits.folder, FIRST));
  remove(limits.folder);
  process.stderr.write(
    `each of up to ${most} processes had ${Math.round((100 * QUOTA_US) / PERIOD_US)} % of a core\n`,
  );
  return typeof code === "number" ? code : 1;
}

process.exitCode = await main(process.argv.slice(2));
