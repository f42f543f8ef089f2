import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { messageOf } from "../../../shared/function/errors.ts";
import { print, printError } from "../../platform/terminal/print.ts";
import { formatTable } from "../../platform/terminal/table.ts";
import { ARCHITECTURES, type Architecture, npmNameOf } from "./architectures.ts";
import { writeDigestComponent } from "./digest-component.ts";
import { fetchForeign, fetchNewest } from "./foreign-files.ts";
import { type Layer, unpackLayer, writeLayer } from "./layer.ts";
import { type Manifest, writeIndex, writeManifest } from "./layout.ts";
import { type ForeignFile, readLock, writeLock } from "./lock.ts";
import { type NpmSboms, readNpmSboms, writeSboms } from "./sbom/sbom.ts";
import { readSource, type Source } from "./source.ts";
import { stageApp, stageNode, stageSystem } from "./stage.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const LOCK = join(ROOT, "infra/deploy/image/image.lock");
const MIB = 2 ** 20;

interface ImageOptions {
  /** Gets `oci`, `root/<architecture>`, `kustomize` and SBOMs. */
  readonly out: string;
  /** Holds foreign files between builds. Default `~/.cache/capstan/image`. */
  readonly cache?: string;
  /** Text of the lock. Default: image.lock. */
  readonly lock?: string;
}

interface Image {
  /** `sha256:…` of the index over both platforms. */
  readonly digest: string;
  readonly manifests: readonly Manifest[];
}

interface Build {
  readonly source: Source;
  readonly files: readonly ForeignFile[];
  readonly cache: string;
  readonly out: string;
  readonly blobs: string;
  readonly stage: string;
  readonly app: Layer;
  readonly npm: NpmSboms;
}

/**
 * Builds the image of the present commit for all platforms, without a daemon and without a registry of containers. Twice
 * the same commit gives the same digest. Throws when a foreign file is not what the lock says.
 */
export async function buildImage({ out, cache = CACHE, lock }: ImageOptions): Promise<Image> {
  // Modes of files become part of the layers.
  process.umask(0o022);
  const source = await readSource(ROOT);
  const files = readLock(lock ?? (await readFile(LOCK, "utf8")), source.nodeVersion);
  await fetchForeign(files, cache);
  const layout = join(out, "oci");
  const [blobs, stage] = [join(layout, "blobs/sha256"), join(out, ".stage")];
  for (const old of [layout, stage, join(out, "root")]) await rm(old, { recursive: true, force: true });
  for (const folder of [blobs, stage]) await mkdir(folder, { recursive: true });
  await stageApp(join(stage, "app"));
  const app = await writeLayer(join(stage, "app"), { blobs, cache: stage }, source.at.getTime() / 1_000);
  const build = { source, files, cache, out, blobs, stage, app, npm: await readNpmSboms(ROOT) };
  const manifests = await Promise.all(ARCHITECTURES.map((each) => buildPlatform(build, each)));
  await rm(stage, { recursive: true });
  const digest = await writeIndex(source, manifests, layout);
  await writeDigestComponent(digest, join(out, "kustomize"));
  return { digest, manifests };
}

const CACHE = join(homedir(), ".cache/capstan/image");

async function buildPlatform(build: Build, architecture: Architecture): Promise<Manifest> {
  const { source, cache, out, blobs, stage, app } = build;
  const files = build.files.filter((each) => each.architecture === architecture);
  const system = join(stage, `system-${architecture}`);
  const node = join(stage, `node-${architecture}`);
  for (const folder of [system, node]) await mkdir(folder);
  const packages = await stageSystem(files, cache, system);
  await stageNode(join(cache, `${npmNameOf(architecture)}-${source.nodeVersion}.tgz`), node);
  // Without the time of the commit, a release changes only the layer of the app: nodes fetch 3 MiB, not 48.
  const lower = await Promise.all([system, node].map((each) => writeLayer(each, { blobs, cache }, 0)));
  const layers = [...lower, app];
  const manifest = await writeManifest(source, architecture, layers, blobs);
  const root = join(out, "root", architecture);
  await mkdir(root, { recursive: true });
  for (const layer of layers) await unpackLayer(layer, blobs, root);
  await writeSboms({ source, files, packages, root }, manifest, build.npm, out);
  return manifest;
}

async function updateLock(): Promise<void> {
  const { nodeVersion } = await readSource(ROOT);
  await writeFile(LOCK, writeLock(await fetchNewest(nodeVersion, CACHE)));
}

function imageCommand(): Command {
  return new Command("image")
    .description("Build the container image for linux/amd64 and linux/arm64")
    .argument("[out]", "folder for the image", ".capstan/image")
    .option("--update-lock", "lock the newest packages of Debian and the Node.js of package.json", false)
    .configureOutput({ outputError: (text) => printError(text.replace(/^error: /, "")) })
    .action(async (folder: string, options: { readonly updateLock: boolean }) => {
      if (options.updateLock) return updateLock();
      const out = resolve(folder);
      const { digest, manifests } = await buildImage({ out });
      const rows = manifests.map((each) => [
        `linux/${each.architecture}`,
        `${(each.compressedBytes / MIB).toFixed(1)} MiB`,
        each.digest,
      ]);
      print(...formatTable(["PLATFORM", "COMPRESSED", "DIGEST"], rows).split("\n"));
      print(`image: ${digest} is in ${join(out, "oci")}, its files in ${join(out, "root")}`);
    });
}

if (import.meta.main) {
  try {
    await imageCommand().parseAsync();
  } catch (error) {
    printError(messageOf(error));
    process.exitCode = 1;
  }
}
