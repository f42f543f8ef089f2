import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../../shared/function/errors.ts";
import { ARCHITECTURES, npmNameOf, run } from "./buildah.ts";
import { DEBIAN_PACKAGES, downloadDebian, type ForeignFile, lockError } from "./debian.ts";

/** Where foreign files come from. */
export interface Archives {
  /** Downloads packages of Debian, such as `libc6:arm64=2.36-9+deb12u14`. */
  debian(packages: readonly string[], folder: string): Promise<void>;
  /** Downloads a package of npm as `<name>-<version>.tgz`. */
  npm(name: string, version: string, folder: string): Promise<void>;
}

/** npm checks the integrity that the registry gives, apt the signature of Debian. */
const ARCHIVES: Archives = {
  debian: downloadDebian,
  npm: async (name, version, folder) => {
    await run("npm", ["pack", `${name}@${version}`, "--loglevel=error"], folder);
  },
};

/**
 * Downloads what `cache` does not hold and checks every file. Afterwards `<cache>/<file>` is what the lock says. Throws
 * with the name of the file that is gone or differs.
 */
export async function fetchForeign(
  files: readonly ForeignFile[],
  cache: string,
  archives: Archives = ARCHIVES,
): Promise<void> {
  await mkdir(cache, { recursive: true });
  const held = await Promise.all(files.map((each) => isHeld(each, cache)));
  const missing = files.filter((_, at) => held[at] !== true);
  if (missing.length === 0) return;
  await using download = await temporaryFolder();
  const debian = missing.filter(({ origin }) => origin === "debian");
  const npm = missing.filter(({ origin }) => origin === "npm");
  const specs = debian.map(({ name, architecture, version }) => `${name}:${architecture}=${version}`);
  await Promise.all([
    debian.length > 0 ? named(debian, archives.debian(specs, download.folder)) : undefined,
    ...npm.map((each) => named([each], archives.npm(each.name, each.version, download.folder))),
  ]);
  for (const each of missing) await admit(each, download.folder, cache);
}

/** Downloads Debian's newest packages and this version of Node.js into `cache`; returns their names and sums. */
export async function fetchNewest(
  nodeVersion: string,
  cache: string,
): Promise<readonly Pick<ForeignFile, "file" | "sha256">[]> {
  await mkdir(cache, { recursive: true });
  await using download = await temporaryFolder();
  const { folder } = download;
  const specs = Object.keys(DEBIAN_PACKAGES).flatMap((name) =>
    ARCHITECTURES.map((each) => `${name}:${each}`),
  );
  await ARCHIVES.debian(specs, folder);
  await Promise.all(ARCHITECTURES.map((each) => ARCHIVES.npm(npmNameOf(each), nodeVersion, folder)));
  const files = await readdir(folder);
  for (const file of files) await move(join(folder, file), join(cache, file));
  return Promise.all(files.map(async (file) => ({ file, sha256: await sha256Of(join(cache, file)) })));
}

async function isHeld({ file, sha256 }: ForeignFile, cache: string): Promise<boolean> {
  const path = join(cache, file);
  return existsSync(path) && (await sha256Of(path)) === sha256;
}

/** Adds the files to the error of a download that could not bring them. */
async function named(files: readonly ForeignFile[], download: Promise<void>): Promise<void> {
  try {
    await download;
  } catch (error) {
    const message = messageOf(error);
    // apt names the packages that it lacks, among those that it has.
    const blamed = files.filter(({ file, name, architecture }) =>
      [file, `${name}:${architecture}`].some((each) => message.includes(each)),
    );
    const names = (blamed.length > 0 ? blamed : files).map(({ file }) => file).join(", ");
    throw lockError(`cannot get ${names} (${message})`);
  }
}

async function admit({ file, sha256 }: ForeignFile, from: string, cache: string): Promise<void> {
  const downloaded = join(from, file);
  if (!existsSync(downloaded)) throw lockError(`cannot get ${file}: another file came instead`);
  const found = await sha256Of(downloaded);
  if (found !== sha256) throw lockError(`${file} has SHA-256 ${found}, not ${sha256}`);
  await move(downloaded, join(cache, file));
}

/** Returns the digest in hexadecimal. */
async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** Another build with the same cache sees all of it or nothing. */
async function move(from: string, to: string): Promise<void> {
  const beside = `${to}.${process.pid}`;
  await copyFile(from, beside);
  await rename(beside, to);
}

/** An empty folder that goes with its block. */
async function temporaryFolder(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-image-"));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
