import { execFile, spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Process } from "../../../infra/deploy/image/process.ts";

/** Why buildah cannot build here; undefined when it can. */
export function buildahMissing(): string | undefined {
  if (spawnSync("buildah", ["--version"]).status !== 0) return "no buildah; npm run setup";
  return process.getuid?.() === 0 ? undefined : "buildah is started as root here; run the tests as root";
}

/** The image that a Dockerfile gave. */
interface Built {
  /** Folder with the files of the image. */
  readonly root: string;
  readonly config: Process;
}

/**
 * Builds a stage that begins from scratch with buildah, without a registry. The folder `from` takes the place of the stage
 * `root`; everything else is in `folder`.
 */
export async function buildStage(stage: string, from: string, folder: string): Promise<Built> {
  const store = [
    "--root",
    join(folder, "store"),
    "--runroot",
    join(folder, "run"),
    "--storage-driver",
    "vfs",
  ];
  const buildah = async (...args: string[]) =>
    (await promisify(execFile)("buildah", [...store, ...args], { maxBuffer: 2 ** 24 })).stdout.trim();
  const context = join(folder, "context");
  await mkdir(context, { recursive: true });
  await writeFile(join(context, "Dockerfile"), stage);
  const platform = ["--platform", "linux/amd64", "--build-arg", "TARGETARCH=amd64"];
  await buildah(
    ...["build", "--isolation", "chroot", "--build-context", `root=${from}`, ...platform],
    ...["--file", join(context, "Dockerfile"), "--tag", "capstan", context],
  );
  const inspected = JSON.parse(await buildah("inspect", "--type", "image", "capstan"));
  const root = await buildah("mount", await buildah("from", "capstan"));
  return { root, config: inspected.OCIv1.config };
}
