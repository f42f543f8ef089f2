import { chmod, cp, glob, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buildInto } from "../build.ts";
import { run } from "./buildah.ts";
import { DEBIAN_PACKAGES, type ForeignFile } from "./debian.ts";

/** The commit that an image is made from. */
export interface Source {
  /** Folder of the repository, absolute. */
  readonly root: string;
  /** Commit, with `-modified` when the work tree differs from it. */
  readonly revision: string;
  /** Time of the commit. */
  readonly at: Date;
  readonly version: string;
  readonly nodeVersion: string;
}

interface Package {
  readonly version: string;
  readonly devDependencies: { readonly node: string };
}

/** Reads package.json and the newest commit of the repository in `root`. */
export async function readSource(root: string): Promise<Source> {
  const text = await readFile(join(root, "package.json"), "utf8");
  const { version, devDependencies } = JSON.parse(text) as Package;
  const [commit = "", seconds] = (await run("git", ["log", "-1", "--format=%H %ct"], root)).split(" ");
  const changes = await run("git", ["status", "--porcelain"], root);
  return {
    root,
    revision: changes === "" ? commit : `${commit}-modified`,
    at: new Date(Number(seconds) * 1_000),
    version,
    nodeVersion: devDependencies.node,
  };
}

/** The `nonroot` of distroless images, and the user of the Containerfile. */
export const USER_ID = 65_532;
const NODE = "/usr/local/bin/node";
const MAIN = "/app/infra/cli/main.js";
const NO_SHELL = "/sbin/nologin";
/** Files of the system that no package has. */
const OWN_FILES: { readonly [path: string]: string } = {
  "etc/group": `root:x:0:\ncapstan:x:${USER_ID}:\n`,
  "etc/nsswitch.conf": "hosts: files dns\n",
  "etc/passwd": `root:x:0:0:root:/:${NO_SHELL}\ncapstan:x:${USER_ID}:${USER_ID}:Capstan:/tmp:${NO_SHELL}\n`,
};

/**
 * Fills `folder` with what Node.js needs of Debian: libraries, licenses, package records as in distroless images.
 * `files` are of one architecture.
 */
export async function stageSystem(
  files: readonly ForeignFile[],
  cache: string,
  folder: string,
): Promise<void> {
  for (const { file, name, origin } of files) {
    if (origin !== "debian") continue;
    const unpacked = await mkdtemp(`${folder}-`);
    await run("dpkg-deb", ["--extract", join(cache, file), unpacked]);
    for await (const path of glob([...(DEBIAN_PACKAGES[name] ?? [])], { cwd: unpacked })) {
      await cp(join(unpacked, path), join(folder, path), { verbatimSymlinks: true });
    }
    await rm(unpacked, { recursive: true, force: true });
    const record = join("var/lib/dpkg/status.d", name);
    await write(join(folder, record), await run("dpkg-deb", ["--field", join(cache, file)]));
  }
  for (const [path, text] of Object.entries(OWN_FILES)) await write(join(folder, path), text);
  await mkdir(join(folder, "tmp"));
  await chmod(join(folder, "tmp"), 0o1777);
}

/** Fills `folder` with the Node.js binary and its licenses. `file` is npm's package. */
export async function stageNode(file: string, folder: string): Promise<void> {
  const unpacked = await mkdtemp(`${folder}-`);
  const wanted = ["package/bin/node", "package/LICENSE"];
  await run("tar", ["--extract", "--gzip", "--file", file, "--directory", unpacked, ...wanted]);
  await cp(join(unpacked, "package/bin/node"), join(folder, NODE));
  await chmod(join(folder, NODE), 0o755);
  await cp(join(unpacked, "package/LICENSE"), join(folder, "usr/share/doc/node/LICENSE"));
  await rm(unpacked, { recursive: true, force: true });
}

/** Fills `folder` with what both platforms share: the built JavaScript, and a command that needs no shell. */
export async function stageApp(folder: string): Promise<void> {
  await buildInto(join(folder, "app"));
  const command = join(folder, "usr/local/bin/capstan");
  await write(command, `#!${NODE}\nimport(${JSON.stringify(MAIN)});\n`);
  await chmod(command, 0o755);
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
