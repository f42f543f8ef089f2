import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { cpus, hostname, totalmem } from "node:os";

const FOLDER = new URL("results/", import.meta.url);

/** Writes `test/bench/results/<name>.json` with the machine and the commit that were measured. */
export async function writeResults(name: string, results: object): Promise<void> {
  const [cpu] = cpus();
  const machine = {
    host: hostname(),
    cpu: cpu?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const text = JSON.stringify(
    { measuredAt: new Date().toISOString(), commit, machine, results },
    undefined,
    2,
  );
  await mkdir(FOLDER, { recursive: true });
  await writeFile(new URL(`${name}.json`, FOLDER), `${text}\n`);
}
