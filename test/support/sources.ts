import { glob, readFile } from "node:fs/promises";

const ROOT = new URL("../../", import.meta.url);

export interface Source {
  /** From the root: `functions/machinepool/nodes.ts`. */
  readonly path: string;
  /** Without comments. */
  readonly code: string;
}

/** The TypeScript files below a folder, sorted. */
export async function sourcesIn(folder: string): Promise<readonly Source[]> {
  const paths: string[] = [];
  for await (const path of glob(`${folder}/**/*.ts`, { cwd: ROOT.pathname })) {
    paths.push(path.replaceAll("\\", "/"));
  }
  return Promise.all(
    paths
      .sort((a, b) => (a < b ? -1 : 1))
      .map(async (path) => ({ path, code: withoutComments(await readFile(new URL(path, ROOT), "utf8")) })),
  );
}

/** Good enough for our own sources: a `//` in a text is preceded by a colon. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:"'`\\])\/\/.*$/gm, "$1");
}
