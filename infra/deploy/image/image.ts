import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { messageOf } from "../../../shared/function/errors.ts";
import { print, printError } from "../../platform/terminal/print.ts";
import { formatTable } from "../../platform/terminal/table.ts";
import { writeYaml } from "../../platform/yaml/write-yaml.ts";
import { IMAGE } from "../manifests/deployments.ts";
import { API_VERSIONS } from "../manifests/kustomization.ts";
import {
  ARCHITECTURES,
  type Architecture,
  buildLayout,
  type Manifest,
  npmNameOf,
  readManifests,
} from "./buildah.ts";
import { type ForeignFile, readLock, writeLock } from "./debian.ts";
import { fetchForeign, fetchNewest } from "./foreign-files.ts";
import { readNpmPackages, writeSboms } from "./sbom.ts";
import { readSource, type Source, stageApp, stageNode, stageSystem } from "./stage.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const LOCK = join(ROOT, "infra/deploy/image/image.lock");
const CONTAINERFILE = join(ROOT, "infra/deploy/image/Containerfile");
const MIB = 2 ** 20;

interface ImageOptions {
  /** Gets `context`, `oci`, `kustomize` and SBOMs. */
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
  const [layout, context] = [join(out, "oci"), join(out, "context")];
  for (const old of [layout, context]) await rm(old, { recursive: true, force: true });
  await stageApp(join(context, "app"));
  for (const architecture of ARCHITECTURES) {
    const [system, node] = [join(context, architecture, "system"), join(context, architecture, "node")];
    for (const folder of [system, node]) await mkdir(folder, { recursive: true });
    await stageSystem(filesOf(files, architecture), cache, system);
    await stageNode(join(cache, `${npmNameOf(architecture)}-${source.nodeVersion}.tgz`), node);
  }
  const build = { containerfile: CONTAINERFILE, context, architectures: ARCHITECTURES, tag: source.version };
  const digest = await buildLayout({ ...build, labels: labelsOf(source) }, layout);
  const manifests = await readManifests(layout, digest);
  const npm = await readNpmPackages(source.root, join(context, "app/app"));
  for (const manifest of manifests) {
    await writeSboms({ source, npm, files: filesOf(files, manifest.architecture) }, manifest, out);
  }
  await writeDigestComponent(digest, join(out, "kustomize"));
  return { digest, manifests };
}

/** Writes a component of kustomize that names the image of all Deployments by this digest. Source: S-62 */
export async function writeDigestComponent(digest: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const kind = "Component";
  const component = { apiVersion: API_VERSIONS[kind], kind, images: [{ name: IMAGE, digest }] };
  await writeFile(join(folder, "kustomization.yaml"), writeYaml(component));
}

const CACHE = join(homedir(), ".cache/capstan/image");

function filesOf(files: readonly ForeignFile[], architecture: Architecture): readonly ForeignFile[] {
  return files.filter((each) => each.architecture === architecture);
}

function labelsOf({ at, revision, version }: Source): { readonly [name: string]: string } {
  const prefix = "org.opencontainers.image";
  return {
    [`${prefix}.created`]: at.toISOString(),
    [`${prefix}.licenses`]: "Apache-2.0",
    [`${prefix}.revision`]: revision,
    [`${prefix}.title`]: "capstan",
    [`${prefix}.version`]: version,
  };
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
      print(`image: ${digest} is in ${join(out, "oci")}`);
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
