import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./run.ts";

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
