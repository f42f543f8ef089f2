import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { buildImage } from "../../infra/deploy/image/image.ts";
import { NODE } from "../../infra/deploy/image/stage.ts";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { type Process, readLayout } from "../support/image-layout.ts";
import { emptyDir, startContainer } from "../support/processes/container.ts";
import { KUBECONFIG, rssMiBOf } from "./cold-start.ts";
import { writeResults } from "./results.ts";

const GOALS = { compressedMiB: 64, appMiB: 25, readyMs: 150, rssMiB: 80 };
const ROUNDS = 7;
const IDLE_MS = 1_000;
const MIB = 2 ** 20;
/** A worker of one function with the queue in memory, as in the bench `cold-start`. */
const WORKER = [
  ...["up", "--roles", "worker", "--functions", "machinepool-status"],
  ...["--kubeconfig", "/tmp/kubeconfig", "--empty", "--quiet"],
];

/** Node.js alone: less no container takes, and beside other load all take longer. */
const BARE = [NODE, "-e", "console.log(); process.on('SIGTERM', process.exit); setInterval(() => 0, 1000)"];

/**
 * Size of the image, and how long a container of it takes from the start of crun to its first job, and what it holds
 * a second later; medians, beside those of a container with Node.js alone. Once with the empty /tmp of a new Pod, once with
 * that of a container that starts again.
 */
export async function imageBench(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-image-bench-"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const { manifests } = await buildImage({ out: dir });
  const layout = await readLayout(dir);
  const [root, image] = [await layout.rootOf("amd64"), await layout.processOf("amd64")];
  const compressedMiB = Math.max(...manifests.map(({ compressedBytes }) => compressedBytes)) / MIB;
  const sizes = {
    compressedMiB: rounded(compressedMiB),
    appMiB: rounded((await bytesIn(join(root, "app"))) / MIB),
  };

  const [bare, fresh]: [Start[], Start[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    await using volume = await volumeWithKubeconfig();
    bare.push(await start(root, image, volume.folder, BARE));
    fresh.push(await start(root, image, volume.folder));
  }
  await using volume = await volumeWithKubeconfig();
  const again: Start[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) again.push(await start(root, image, volume.folder));
  const results = {
    ...sizes,
    bareNode: medians(bare),
    newPod: medians(fresh),
    // The first one has filled the folder.
    restart: medians(again.slice(1)),
  };
  const rows = [
    ["compressed MiB", String(results.compressedMiB), String(GOALS.compressedMiB)],
    ["app unpacked MiB", String(results.appMiB), String(GOALS.appMiB)],
    ["bare Node.js: ready ms", String(results.bareNode.readyMs), ""],
    ["new Pod: ready ms", String(results.newPod.readyMs), String(GOALS.readyMs)],
    ["new Pod: RSS MiB", String(results.newPod.rssMiB), String(GOALS.rssMiB)],
    ["restart: ready ms", String(results.restart.readyMs), String(GOALS.readyMs)],
    ["restart: RSS MiB", String(results.restart.rssMiB), String(GOALS.rssMiB)],
  ];
  console.log(formatTable(["WHAT", "MEASURED", "GOAL"], rows));
  await writeResults("image", results);
}

interface Start {
  readonly readyMs: number;
  readonly rssMiB: number;
}

/** Without a command, the worker. */
async function start(root: string, image: Process, tmp: string, command?: readonly string[]): Promise<Start> {
  const process = command === undefined ? { args: WORKER } : { args: [], command };
  await using container = await startContainer({ root, image, tmp, ...process });
  const readyMs = await container.spokeMs;
  await setTimeout(IDLE_MS);
  const rssMiB = await rssMiBOf(await container.pid());
  // It writes its compile cache when it ends.
  await container.signal("SIGTERM");
  await container.ended;
  return { readyMs, rssMiB };
}

function medians(starts: readonly Start[]): Start {
  const median = (of: keyof Start) =>
    Math.round(starts.map((each) => each[of]).sort((a, b) => a - b)[starts.length >> 1] ?? 0);
  return { readyMs: median("readyMs"), rssMiB: median("rssMiB") };
}

async function volumeWithKubeconfig(): Promise<AsyncDisposable & { readonly folder: string }> {
  const volume = await emptyDir();
  await writeFile(join(volume.folder, "kubeconfig"), KUBECONFIG, { mode: 0o644 });
  return volume;
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
