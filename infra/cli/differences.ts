import { glob, readFile } from "node:fs/promises";

/** The note from the word to the end of the comment: a block, or lines that begin with `//` or `--`. */
const DIFFERS = /\bDiffers: ((?:(?!\*\/)[^\n])*(?:\n[ \t]*(?:\*(?!\/)|\/\/|--)(?:(?!\*\/)[^\n])*)*)/g;

/** Returns what the comments of the product say after `Differs:`, as a list by file with links from a folder of `depth`. */
export async function differencesPage(root: URL, depth: number): Promise<string> {
  const paths: string[] = [];
  for await (const path of glob("{functions,shared,infra}/**/*.{ts,tsx,lua}", { cwd: root.pathname }))
    paths.push(path);
  const files = await Promise.all(
    paths.toSorted().map(async (path) => ({ path, text: await readFile(new URL(path, root), "utf8") })),
  );
  return files
    .filter(({ path }) => path !== "infra/cli/differences.ts")
    .flatMap(({ path, text }) =>
      [...text.matchAll(DIFFERS)].map(
        ([, rest = ""]) => `- [${path}](${"../".repeat(depth)}${path}): ${sentencesOf(rest)}`,
      ),
    )
    .join("\n");
}

function sentencesOf(comment: string): string {
  const text = comment.replaceAll(/\n[ \t]*(?:\*|\/\/|--)[ \t]*/g, " ").trim();
  return text.replace(/\s*\bSource: .*$/s, "");
}
