import { copyFile, glob, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "rolldown";

const PAGE = fileURLToPath(new URL("page/", import.meta.url));
/** Files that are sent as they are. */
const PLAIN = ["index.html", "icon.svg"];

/** The page, and the library of plots, which a browser loads with the first plot. */
const SCRIPTS = ["page.js", "plot.js"];

const SCRIPT: BuildOptions = {
  input: join(PAGE, "main.tsx"),
  platform: "browser",
  tsconfig: join(PAGE, "tsconfig.json"),
  transform: { target: "es2024" },
  // Without one of its packages a page does not run; npm ci installs all of them.
  onLog(level, { message }) {
    if (level === "warn") throw new Error(`the console's page: ${message}`);
  },
};

/**
 * Builds the page of the console into a folder: one shell, two scripts, one style sheet, one icon. Returns the
 * modules that the scripts consist of.
 */
export async function buildPage(
  folder: string,
  { plugins = [] }: Pick<BuildOptions, "plugins"> = {},
): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const { output } = await build({
    ...SCRIPT,
    plugins,
    output: { dir: folder, entryFileNames: "page.js", chunkFileNames: "plot.js", minify: true },
  });
  const made = output.map(({ fileName }) => fileName);
  if (made.length !== SCRIPTS.length || !SCRIPTS.every((name) => made.includes(name)))
    throw new Error(`the console's page consists of ${made.join(", ")}, and not of ${SCRIPTS.join(", ")}`);
  await Promise.all(PLAIN.map((name) => copyFile(join(PAGE, name), join(folder, name))));
  await writeFile(join(folder, "page.css"), await styles());
  return output.flatMap((chunk) => (chunk.type === "chunk" ? Object.keys(chunk.modules) : []));
}

/** The style sheets in the order of their names, as one. */
async function styles(): Promise<string> {
  const names: string[] = [];
  for await (const name of glob("style/*.css", { cwd: PAGE })) names.push(name);
  const texts = await Promise.all(
    names.toSorted((a, b) => (a < b ? -1 : 1)).map((name) => readFile(join(PAGE, name), "utf8")),
  );
  return texts.join("\n").replace(/\n\s*/g, "\n");
}

if (import.meta.main) await buildPage(process.argv[2] ?? join(PAGE, "built"));
