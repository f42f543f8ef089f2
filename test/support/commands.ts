import { readFile } from "node:fs/promises";

const ROOT = new URL("../../", import.meta.url);

/** The lines of the shell blocks of a page, or of one section of it, in their order. */
export async function commandsIn(page: string, section?: string): Promise<readonly string[]> {
  const blocks = await blocksIn("sh", page, section);
  return blocks.flatMap((block) => block.split("\n").filter((line) => line.trim() !== ""));
}

/** The blocks of a language in a page, or in one section of it. */
export async function blocksIn(language: string, page: string, section?: string): Promise<readonly string[]> {
  const text = await readFile(new URL(page, ROOT), "utf8");
  const part = section === undefined ? text : sectionOf(text, section);
  return [...part.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"))].map(
    ([, block = ""]) => block,
  );
}

/** From the heading to the next one of `##`. Throws when the page has no such section. */
function sectionOf(text: string, title: string): string {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`no section "${title}"`);
  return section;
}
