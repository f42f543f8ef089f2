import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { packageOf } from "../../package-records.ts";
import { RELEASE } from "../debian.ts";
import type { Manifest } from "../layout.ts";
import type { ForeignFile } from "../lock.ts";
import { NODE } from "../process.ts";
import type { Source } from "../source.ts";

/** A file of the image. */
interface ImageFile {
  /** Absolute in the image. */
  readonly path: string;
  readonly sha1: string;
  readonly sha256: string;
}

/** A part of the image. The files of a library in the bundles are its record and its licenses. */
export interface Component {
  /** `<name>@<version>`, npm's own id of its packages. */
  readonly id: string;
  readonly origin: "capstan" | "debian" | "node" | "npm";
  readonly name: string;
  readonly version: string;
  /** Package URL. */
  readonly purl: string;
  readonly files: readonly ImageFile[];
}

export interface Contents {
  readonly source: Source;
  /** Foreign files of this architecture. */
  readonly files: readonly ForeignFile[];
  /** Debian package of each path that is from one, without a slash at the beginning. */
  readonly packages: ReadonlyMap<string, string>;
  /** Folder with the files of the image. */
  readonly root: string;
}

/** The image of one platform, and what is in it. */
export type Subject = Pick<Manifest, "architecture" | "digest"> &
  Pick<Source, "version" | "at"> & { readonly components: readonly Component[] };

type Names = Pick<Component, "origin" | "name" | "version" | "purl">;

/** Returns the components, sorted by id. Every regular file is in one of them. */
export async function componentsOf(contents: Contents): Promise<readonly Component[]> {
  const files = await listFiles(contents.root);
  const owned = Map.groupBy(files, ({ path }) => ownerOf(path, contents));
  const components = [...owned].map(async ([owner, of]): Promise<Component> => {
    const names = await namesOf(owner, contents);
    return { id: `${names.name}@${names.version}`, ...names, files: of };
  });
  return (await Promise.all(components)).sort((a, b) => (a.id < b.id ? -1 : 1));
}

const NODE_LICENSE = "/usr/share/doc/node/LICENSE";

/** A Debian package, a folder of a record, `node`, or `capstan`. */
function ownerOf(path: string, { packages }: Contents): string {
  const isNode = path === NODE || path === NODE_LICENSE;
  return packages.get(path.slice(1)) ?? packageOf(path) ?? (isNode ? "node" : "capstan");
}

async function namesOf(owner: string, { source, files, root }: Contents): Promise<Names> {
  if (owner === "capstan") {
    const { version } = source;
    return { origin: "capstan", name: owner, version, purl: `pkg:npm/capstan@${version}` };
  }
  if (owner === "node") {
    const version = source.nodeVersion;
    return { origin: "node", name: owner, version, purl: `pkg:generic/node@${version}` };
  }
  const debian = files.find(({ name, origin }) => origin === "debian" && name === owner);
  if (debian !== undefined) {
    const { name, version, architecture } = debian;
    const place = `${encodeURIComponent(name)}@${encodeURIComponent(version)}`;
    return {
      origin: "debian",
      name,
      version,
      purl: `pkg:deb/debian/${place}?arch=${architecture}&distro=${RELEASE}`,
    };
  }
  const { name, version } = JSON.parse(await readFile(join(root, "app", owner, "package.json"), "utf8"));
  return { origin: "npm", name, version, purl: `pkg:npm/${name.replace("@", "%40")}@${version}` };
}

async function listFiles(root: string): Promise<readonly ImageFile[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
  return Promise.all(
    files.sort().map(async (file) => {
      const content = await readFile(file);
      const sum = (algorithm: string) => createHash(algorithm).update(content).digest("hex");
      return { path: `/${relative(root, file)}`, sha1: sum("sha1"), sha256: sum("sha256") };
    }),
  );
}
