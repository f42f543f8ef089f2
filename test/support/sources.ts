import { glob, readFile } from "node:fs/promises";
import { posix } from "node:path";

const ROOT = new URL("../../", import.meta.url);

export interface Source {
  /** From the root: `functions/machinepool/nodes.ts`. */
  readonly path: string;
  /** Without comments. */
  readonly code: string;
}

export interface Text {
  /** From the root. */
  readonly path: string;
  /** As it is in the file. */
  readonly text: string;
}

/** The TypeScript files below a folder, sorted. */
export async function sourcesIn(folder: string): Promise<readonly Source[]> {
  const texts = await textsOf(`${folder}/**/*.{ts,tsx}`);
  return texts.map(({ path, text }) => ({ path, code: withoutComments(text) }));
}

/** The files that a pattern matches, sorted. */
export async function textsOf(pattern: string): Promise<readonly Text[]> {
  const paths: string[] = [];
  for await (const path of glob(pattern, { cwd: ROOT.pathname })) paths.push(path.replaceAll("\\", "/"));
  return Promise.all(
    paths
      .sort((a, b) => (a < b ? -1 : 1))
      .map(async (path) => ({ path, text: await readFile(new URL(path, ROOT), "utf8") })),
  );
}

const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(?\s*)"([^"\s]+)"/g;

/** Returns the imports of a file: paths from the root for our own files, package names otherwise. */
export function importsOf({ path, code }: Source): readonly string[] {
  return [...code.matchAll(SPECIFIER)].map(([, name = ""]) =>
    name.startsWith(".") ? posix.join(posix.dirname(path), name) : name,
  );
}

/** Good enough for our own sources: a `//` in a text is preceded by a colon. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:"'`\\])\/\/.*$/gm, "$1");
}
