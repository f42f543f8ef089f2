import { glob, readFile } from "node:fs/promises";

const ROOT = new URL("../../", import.meta.url);

/** One comment, docstring, string literal or Markdown file. */
export interface Prose {
  /** From the root: `shared/api/path.ts`. */
  readonly path: string;
  /** Line of its first character, counted from 1. */
  readonly line: number;
  /** Without comment marks; as many line breaks as in the file. */
  readonly text: string;
  /** Whether it is a docstring, which begins with two stars. */
  readonly isDocstring?: true;
}

/** Returns everything that people read in the TypeScript and Markdown files below the folders. */
export async function proseIn(...patterns: readonly string[]): Promise<readonly Prose[]> {
  const paths: string[] = [];
  for await (const path of glob([...patterns], { cwd: ROOT.pathname }))
    paths.push(path.replaceAll("\\", "/"));
  const files = await Promise.all(
    paths
      .sort((a, b) => (a < b ? -1 : 1))
      .map(async (path) => ({ path, text: await readFile(new URL(path, ROOT), "utf8") })),
  );
  return files.flatMap(({ path, text }) =>
    path.endsWith(".md") ? [{ path, line: 1, text }] : proseOf(text).map((found) => ({ path, ...found })),
  );
}

/** Comments, `"…"`, `'…'`, and the parts of templates around `${…}`; regular expressions are passed over. */
const TOKEN = new RegExp(
  [
    String.raw`(?<comment>\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*)`,
    String.raw`(?<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')`,
    String.raw`(?<regex>(?<=(?:[=(,:?&|![{;]|=>|return)\s*)\/(?![*/ ])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*)`,
    "(?<tick>`)",
    "(?<brace>[{}])",
  ].join("|"),
  "g",
);

/** The text of a template up to its end or to the next `${`. */
const TEMPLATE = /(?:\\.|\$(?!\{)|[^`\\$])*(`|\$\{)/gs;

/** Returns comments, docstrings and string literals of TypeScript source that Biome has formatted. */
export function proseOf(code: string): readonly Omit<Prose, "path">[] {
  const found: Found[] = [];
  /** One entry per open brace: true where it is the `${` of a template. */
  const braces: boolean[] = [];
  let at = 0;
  const takeTemplate = (): void => {
    TEMPLATE.lastIndex = at;
    const [whole, end] = TEMPLATE.exec(code) ?? ["", "`"];
    found.push({ at, text: whole.slice(0, whole.length - end.length) });
    at += whole.length;
    if (end !== "`") braces.push(true);
  };
  for (;;) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(code);
    if (match === null) return withLines(code, found);
    const { comment, text, tick, brace } = match.groups ?? {};
    at = TOKEN.lastIndex;
    if (comment !== undefined) found.push({ at: match.index, ...commentOf(comment) });
    if (text !== undefined) found.push({ at: match.index, text: text.slice(1, -1) });
    if (tick !== undefined) takeTemplate();
    if (brace === "{") braces.push(false);
    if (brace === "}" && braces.pop() === true) takeTemplate();
  }
}

function commentOf(comment: string): Pick<Prose, "text" | "isDocstring"> {
  const text = comment.replace(/^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/)/gm, "").replace(/\s*(?:\*\/)?$/, "");
  return comment.startsWith("/**") ? { text, isDocstring: true } : { text };
}

interface Found extends Pick<Prose, "text" | "isDocstring"> {
  readonly at: number;
}

function withLines(code: string, found: readonly Found[]): readonly Omit<Prose, "path">[] {
  let line = 1;
  let counted = 0;
  return found.map(({ at, ...prose }) => {
    for (; counted < at; counted += 1) if (code[counted] === "\n") line += 1;
    return { line, ...prose };
  });
}
