import { describe, expect, it } from "vitest";
import { ALL_RULES, prefixOf as contractOf } from "../../shared/contract/rules/all.ts";
import { idsIn, namedBy, prefixOf, rulesOf, withoutOwnIds } from "../support/rules.ts";
import { type Text, textsOf } from "../support/sources.ts";

const [code, tests, pages] = await Promise.all([
  textsOf("{functions,shared,infra}/**/*.{ts,tsx,lua}"),
  textsOf("test/**/*.ts"),
  textsOf("{,.github/,{functions,shared,infra,test}/**/}*.md"),
]);
const rules = pages.flatMap(rulesOf);

/** Every id with the files that cite it. */
function citations(texts: readonly Text[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { path, text } of texts)
    for (const id of idsIn(withoutOwnIds(text))) found.set(id, [...(found.get(id) ?? []), path]);
  return found;
}

/** The rules that titles of tests name. */
const named = new Set(
  tests.flatMap(({ text }) =>
    [...text.matchAll(/["`]((?:[A-Z]+-\d|[^"`\n]*\([A-Z]+-\d)[^"`\n]*)["`]/g)].flatMap(([, title = ""]) =>
      namedBy(title),
    ),
  ),
);

describe("the rules beside the code", () => {
  it("every rule that is cited is on one page", () => {
    const cited = citations([...code, ...tests, ...pages.filter(({ path }) => path !== "CHANGELOG.md")]);
    const missing = [...cited]
      .filter(([id]) => !rules.some((rule) => rule.id === id))
      .map(([id, paths]) => `${id} is not on any page: ${paths.slice(0, 3).join(", ")}`);
    const twice = rules
      .filter(({ id }, at) => rules.findIndex((rule) => rule.id === id) !== at)
      .map(({ id, page }) => `${id} is a second time in ${page}`);
    expect([...missing, ...twice]).toEqual([]);
  });

  it("the rules of one prefix are on one page", () => {
    const pagesOf = Object.groupBy(rules, ({ id }) => prefixOf(id));
    const apart = Object.values(pagesOf).map((of = []) =>
      [...new Set(of.map(({ page }) => page))].join(", "),
    );
    expect(apart.filter((each) => each.includes(", "))).toEqual([]);
  });

  it("every rule says what holds, and is named by the title of a test, or says why not", () => {
    const wrong = rules.flatMap(({ id, page, holds, not }) => [
      ...(holds === "" ? [`${page}: ${id} says nothing`] : []),
      ...(named.has(id) || not !== undefined ? [] : [`${page}: no title of a test names ${id}`]),
      ...(named.has(id) && not?.startsWith("tested") === true ? [`${page}: a test names ${id}`] : []),
    ]);
    expect(wrong).toEqual([]);
  });

  it("every rule of a contract that is cited is in the list of contract rules", () => {
    const known = new Set(ALL_RULES.map(({ id }) => id));
    const prefixes = [...new Set(ALL_RULES.map(({ id }) => contractOf(id)))].join("|");
    const cited = new RegExp(`\\b(?:${prefixes})-\\d\\d\\b`, "g");
    const unknown = [...code, ...tests, ...pages].flatMap(({ path, text }) =>
      (text.match(cited) ?? []).filter((id) => !known.has(id)).map((id) => `${path} cites ${id}`),
    );
    expect(unknown).toEqual([]);
  });

  it("no code cites a document that is not in the repository", () => {
    // `npm run generate` renders that of rights.
    const known = new Set([...pages.map(({ path }) => path), "RIGHTS.md"]);
    const unknown = [...code, ...tests].flatMap(({ path, text }) =>
      (text.match(/[\w./-]*\w\.md\b/g) ?? [])
        .map((name) => name.replace(/^(?:\.*\/)+/, ""))
        .filter((name) => !known.has(name))
        .map((name) => `${path} cites ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});
