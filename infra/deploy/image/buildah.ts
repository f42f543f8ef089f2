import { execFile, spawnSync } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const MAX_BYTES = 64 * 1024 * 1024;

/** Runs a program in `cwd` to its end and returns its output. Throws with what it wrote to stderr, or how to get it. */
export async function run(program: string, args: readonly string[], cwd?: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { maxBuffer: MAX_BYTES, cwd });
    return stdout;
  } catch (error) {
    const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: string };
    if (code === "ENOENT") {
      throw new Error(
        `${program} is missing; the image is built on Debian or one of its children, with git, npm and buildah`,
      );
    }
    throw new Error(`${program} failed: ${stderr?.trim() || String(error)}`);
  }
}

/** Architectures of the image, by the names that Debian and the OCI image specification share. */
export const ARCHITECTURES = ["amd64", "arm64"] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** Returns npm's package with the Node.js binary for an architecture. */
export function npmNameOf(architecture: Architecture): string {
  return `node-linux-${architecture === "amd64" ? "x64" : architecture}`;
}

/** The image of one platform. */
export interface Manifest {
  readonly architecture: Architecture;
  /** `sha256:…` */
  readonly digest: string;
  /** The size of config, manifest and layers: what a node fetches. */
  readonly compressedBytes: number;
}

interface Build {
  readonly containerfile: string;
  /** Folder that the Containerfile copies from. */
  readonly context: string;
  readonly architectures: readonly Architecture[];
  readonly tag: string;
  readonly labels: { readonly [name: string]: string };
}

/** Whether this machine can build images. */
export function hasBuildah(): boolean {
  return spawnSync("buildah", ["--version"]).status === 0;
}

/**
 * Builds an image into the OCI layout `folder`, with a store of its own that goes afterwards, and without a registry. Every
 * time in it is 0, so that equal folders give equal bytes, and a release changes only the layers that have changed.
 * Returns `sha256:…` of the index over all platforms.
 */
export async function buildLayout(build: Build, folder: string): Promise<string> {
  const store = `${folder}.store`;
  // The driver vfs needs nothing of the kernel or of the file system.
  const own = ["--root", join(store, "root"), "--runroot", join(store, "run"), "--storage-driver", "vfs"];
  const labels = Object.entries(build.labels).flatMap(([name, value]) => ["--label", `${name}=${value}`]);
  const name = "capstan";
  try {
    // One after the other: of several at once, the first to end would stand first in the index.
    for (const architecture of build.architectures) {
      const platform = ["--platform", `linux/${architecture}`, "--manifest", name];
      await run("buildah", [
        ...[...own, "build", "--layers", "--timestamp", "0", ...platform],
        ...[...labels, "--file", build.containerfile, build.context],
      ]);
    }
    await run("buildah", [...own, "manifest", "push", "--all", name, `oci:${folder}:${build.tag}`]);
  } finally {
    await rm(store, { recursive: true, force: true });
  }
  const { manifests } = JSON.parse(await readFile(join(folder, "index.json"), "utf8")) as Index;
  const [image, ...others] = manifests;
  if (image === undefined || others.length > 0) throw new Error(`buildah made no single image in ${folder}`);
  return image.digest;
}

interface Blob {
  readonly digest: string;
  readonly size: number;
}

interface Index {
  readonly manifests: readonly (Blob & { readonly platform: { readonly architecture: Architecture } })[];
}

/** Reads the images of all platforms from an OCI layout. */
export async function readManifests(folder: string, digest: string): Promise<readonly Manifest[]> {
  const blobOf = async (name: string) =>
    JSON.parse(await readFile(join(folder, "blobs/sha256", name.replace("sha256:", "")), "utf8"));
  const { manifests } = (await blobOf(digest)) as Index;
  return Promise.all(
    manifests.map(async ({ digest: own, size, platform: { architecture } }) => {
      const { config, layers } = (await blobOf(own)) as { config: Blob; layers: readonly Blob[] };
      const compressedBytes = [config, ...layers].reduce((sum, blob) => sum + blob.size, size);
      return { architecture, digest: own, compressedBytes };
    }),
  );
}
