import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { PageFile, ReadPage } from "./console-options.ts";

/** The page of the built product; absent where sources run. */
const BUILT = fileURLToPath(new URL("page/built/", import.meta.url));
const BUILDER = fileURLToPath(new URL("build-page.ts", import.meta.url));
const BUILD_LIMIT_MS = 60_000;

const SHELL = "/";
/** Files of the page by the path that a browser asks for. */
const FILES: { readonly [path: string]: { readonly name: string; readonly contentType: string } } = {
  [SHELL]: { name: "index.html", contentType: "text/html; charset=utf-8" },
  "/page.js": { name: "page.js", contentType: "text/javascript; charset=utf-8" },
  "/plot.js": { name: "plot.js", contentType: "text/javascript; charset=utf-8" },
  "/page.css": { name: "page.css", contentType: "text/css; charset=utf-8" },
  "/icon.svg": { name: "icon.svg", contentType: "image/svg+xml" },
};

type Page = ReadonlyMap<string, PageFile>;

/**
 * Returns the files of the page from memory: the shell for every path that is not one of its other files, since names in paths
 * may have dots. The built product has them beside it; where sources run, the first visit
 * builds them in a child process, so that no process of the product loads a bundler. A build that fails is tried again
 * at the next visit.
 */
export function openPage(read: () => Promise<Page> = readPage): ReadPage {
  let page: Promise<Page> | undefined;
  return async (path) => {
    page ??= read().catch((error: unknown) => {
      page = undefined;
      throw error;
    });
    const files = await page;
    return files.get(path) ?? files.get(SHELL);
  };
}

async function readPage(): Promise<Page> {
  return (await readFrom(BUILT)) ?? builtNow();
}

/** Reads the files that a build has written; undefined: the folder is not there. */
export async function readFrom(folder: string): Promise<Page | undefined> {
  try {
    const files = Object.entries(FILES).map(async ([path, { name, contentType }]) => {
      return [path, { body: await readFile(join(folder, name)), contentType }] as const;
    });
    return new Map(await Promise.all(files));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function builtNow(): Promise<Page> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-page-"));
  try {
    await promisify(execFile)(process.execPath, [BUILDER, folder], { timeout: BUILD_LIMIT_MS });
    const page = await readFrom(folder);
    if (page === undefined) throw new Error(`the page of the console was not built; run: node ${BUILDER}`);
    return page;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
