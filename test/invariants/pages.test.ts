import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { textsOf } from "../support/sources.ts";

const [pages, tests] = await Promise.all([
  textsOf("{,.github/,{functions,shared,infra,test}/**/}*.md"),
  textsOf("test/**/*.ts"),
]);

/** Pages and sections, as `page#section`, whose commands some test runs; a page by itself is run as a whole. */
const RUN = new Set(
  tests.flatMap(({ text }) =>
    [...text.matchAll(/(?:commandsIn\(|blocksIn\(\s*"sh",)\s*"([^"]+)"(?:,\s*"([^"]+)")?/g)].map(
      ([, page = "", section]) => (section === undefined ? page : `${page}#${section}`),
    ),
  ),
);
/** Tests that read a page with commands by other means. */
const OTHERS: { readonly [page: string]: string } = {
  "infra/playground/apiserver/README.md": "test/infra/playground/apiserver/readme.test.ts",
  "infra/deploy/kustomize/README.md": "test/system/kustomize.test.ts",
  "infra/deploy/lambda/README.md": "test/system/lambda.test.ts",
  "test/simulation/README.md": "test/simulation/readme.test.ts",
};

/** `## Move a Cluster` → `move-a-cluster`, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, "");
}

function isThere(target: string, anchor: string | undefined): boolean {
  if (!existsSync(target) || anchor === undefined) return existsSync(target);
  const headings = pages.find(({ path }) => path === target)?.text.match(/^#+ .*$/gm) ?? [];
  return headings.some((heading) => anchorOf(heading.replace(/^#+ /, "")) === anchor);
}

describe("Markdown pages", () => {
  it("have at most 45,000 words, README 1,500", () => {
    const words = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length;
    expect(pages.reduce((sum, { text }) => sum + words(text), 0)).toBeLessThanOrEqual(45_000);
    const readme = pages.find(({ path }) => path === "README.md");
    expect(words(readme?.text ?? "")).toBeLessThanOrEqual(1_500);
  });

  it("show no command that no test runs", () => {
    const unrun = pages.flatMap(({ path, text }) => {
      if (RUN.has(path) || tests.some((test) => test.path === OTHERS[path])) return [];
      return text.split(/^## /m).flatMap((part) => {
        const title = part.split("\n", 1)[0] ?? "";
        return part.includes("\n```sh\n") && !RUN.has(`${path}#${title}`) ? [`${path}: ${title}`] : [];
      });
    });
    expect(unrun).toEqual([]);
  });

  it("link to files and headings that are there", () => {
    const dead = pages.flatMap(({ path, text }) =>
      [...withoutBlocks(text).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
        .filter(([, file = "", anchor]) => !isThere(file === "" ? path : join(dirname(path), file), anchor))
        .map(([link]) => `${path}: ${link}`),
    );
    expect(dead).toEqual([]);
  });
});
