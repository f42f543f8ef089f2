import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "./run.ts";

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
