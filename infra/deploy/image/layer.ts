import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync } from "node:fs";
import { copyFile, readdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { run } from "./run.ts";
import { sha256Of } from "./sha256.ts";

/** A layer as a blob. */
export interface Layer {
  /** `sha256:` and 64 hexadecimal digits, of the compressed bytes. */
  readonly digest: string;
  readonly bytes: number;
  /** The same of the archive before compression. */
  readonly diffID: string;
}

interface Place {
  /** Folder of the blobs. */
  readonly blobs: string;
  /** Folder for layers that other builds have compressed, on any file system. */
  readonly cache: string;
}

/**
 * Packs `folder` into a blob. Sorted, owner 0, every time `seconds` (since 1970), so that equal files give equal bytes.
 * A layer that another build has compressed with the same library is taken from the cache.
 */
export async function writeLayer(folder: string, { blobs, cache }: Place, seconds: number): Promise<Layer> {
  const diffID = await sha256Of(archive(folder, seconds));
  const packed = join(cache, `${diffID}.zlib-${process.versions.zlib}.gz`);
  if (!existsSync(packed)) {
    const beside = `${packed}.${process.pid}`;
    await pipeline(archive(folder, seconds), createGzip(), createWriteStream(beside));
    await rename(beside, packed);
  }
  const digest = await sha256Of(packed);
  await copyFile(packed, join(blobs, digest));
  const { size } = await stat(packed);
  return { digest: `sha256:${digest}`, bytes: size, diffID: `sha256:${diffID}` };
}

async function* archive(folder: string, seconds: number): AsyncGenerator<Buffer> {
  const names = (await readdir(folder)).sort((a, b) => (a < b ? -1 : 1));
  const fixed = ["--format=ustar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"];
  const args = ["--create", ...fixed, `--mtime=@${seconds}`, "--directory", folder, ...names];
  const tar = spawn("tar", args, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(tar, "exit");
  yield* tar.stdout;
  const [code] = await exited;
  if (code !== 0) throw new Error(`tar ended with ${code}`);
}

/** Unpacks a layer over `folder`: what is in the layer is what is tested. */
export async function unpackLayer(layer: Layer, blobs: string, folder: string): Promise<void> {
  const blob = join(blobs, layer.digest.replace("sha256:", ""));
  await run("tar", ["--extract", "--gzip", "--file", blob, "--directory", folder]);
}
