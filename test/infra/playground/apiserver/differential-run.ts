import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { EXPLAINED } from "./differential/explained.ts";
import { compareGenerated, compareServers, type Result, report, startServers } from "./differential/run.ts";
import { SCRIPT } from "./differential-script.ts";

/*
 * The long run of the differential test: `node differential-run.ts --sequences 2000 --seed 1`, with KUBEBUILDER_ASSETS.
 * Fails for an unexplained difference, and for an explanation that nothing needed. Writes its result beside those of
 * the benchmarks when it succeeds.
 */

const RESULT = new URL("../../../bench/results/differential.json", import.meta.url);

const { values } = parseArgs({
  options: {
    sequences: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
  },
});

const sequences = Number(values.sequences);
const seed = Number(values.seed);
const startedAt = performance.now();

await using servers = await startServers(process.env["KUBEBUILDER_ASSETS"] ?? "");
const written = await Promise.all(SCRIPT.map((sequence) => compareServers(sequence, servers)));
const generated = await compareGenerated(servers, { sequences, seed, onProgress });

const failures = [...written.filter((one) => one.unexplained.length > 0).map(report), ...generated.failures];
const counts = countsOf(generated);
const unused = EXPLAINED.filter((one) => !counts.has(one.reason)).map(({ reason }) => reason);

process.stdout.write(`\n${[...failures, ...unused.map((reason) => `never met: ${reason}`)].join("\n\n")}\n`);
process.stdout.write(
  `${sequences} sequences, ${generated.requests} requests, ${failures.length} with a difference\n`,
);
if (failures.length + unused.length > 0) process.exitCode = 1;
else {
  await mkdir(new URL(".", RESULT), { recursive: true });
  await writeFile(RESULT, `${JSON.stringify(resultOf(), null, 2)}\n`);
}

function onProgress(done: number): void {
  if (done % 100 === 0) process.stdout.write(`\r${done} of ${sequences}`);
}

function countsOf({ explained }: Result): Map<string, number> {
  const found = new Map([...explained].map(([{ reason }, count]) => [reason, count]));
  for (const { reason } of written.flatMap((one) => one.explained)) {
    found.set(reason, (found.get(reason) ?? 0) + 1);
  }
  return found;
}

function resultOf(): object {
  return {
    sequences,
    seed,
    requests: generated.requests,
    written: SCRIPT.length,
    unexplained: 0,
    explained: Object.fromEntries(counts),
    seconds: Math.round((performance.now() - startedAt) / 1000),
    machine: `${cpus().length} cores, ${cpus()[0]?.model ?? "unknown"}`,
  };
}
