import { existsSync } from "node:fs";
import { mkdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const [V1, V2] = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup"];
const PERIOD_US = 100_000;

/** A share of a core for one process, as the limit of a container is. */
export interface CpuLimit extends AsyncDisposable {
  readonly folder: string;
}

/** Limits a process that runs. Throws where this user may make no cgroup. */
export async function limitCpu(pid: number, cores: number): Promise<CpuLimit> {
  const isV1 = existsSync(join(V1, "cgroup.procs"));
  const root = isV1 ? V1 : V2;
  const folder = join(root, `capstan-bench-${pid}`);
  const quota = String(Math.round(cores * PERIOD_US));
  const settings: readonly (readonly [file: string, value: string])[] = isV1
    ? [
        ["cpu.cfs_period_us", String(PERIOD_US)],
        ["cpu.cfs_quota_us", quota],
      ]
    : [["cpu.max", `${quota} ${PERIOD_US}`]];
  try {
    await mkdir(folder);
    for (const [file, value] of settings) await writeFile(join(folder, file), value);
    await writeFile(join(folder, "cgroup.procs"), String(pid));
  } catch (error) {
    throw new Error(
      `${folder}: no limit of CPU can be set (${String(error)}); run it as root, outside of a container`,
    );
  }
  return {
    folder,
    async [Symbol.asyncDispose]() {
      // A cgroup with a process in it cannot be removed.
      await writeFile(join(root, "cgroup.procs"), String(pid)).catch(() => undefined);
      await rmdir(folder).catch(() => undefined);
    },
  };
}
