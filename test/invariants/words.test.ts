import { describe, expect, it } from "vitest";
import { type Prose, proseIn } from "../support/prose.ts";

/** Each word that a hurried reader stumbles over, and the better one. */
const BANNED: readonly (readonly [word: RegExp, better: string])[] = [
  [/\bwho(?:m|so)?ever\b/gi, 'name the component or person: "every watch", "the client that …"'],
  [
    /(?<![-./])\b(?:no|some|any|every)body(?:'s)?\b(?![-./]\w)/gi,
    'name the component or person: "no watch", "another client", "a user"',
  ],
  [/\bwhom\b/gi, 'name the component or object: "which keys it concerns"'],
  [
    /(?<!\bthere )\b(?:is|are|was|were|be|been) no (?!longer\b|more\b|less\b)\S*/gi,
    '"is not a …", "cannot …", "missing", "malformed"',
  ],
  [/(?<!\b(?:there|there still) )\b(?:is|are|was|were) none\b/gi, '"missing", "malformed", "is not a …"'],
  [/\bshall\b/gi, '"must", "should" or "will"'],
  [/\b(?:is|are|was|were) to be\b/gi, '"must be", "will be"'],
  [/\b(?:go|goes|going|gone|went) on\b/gi, '"continue" or "resume"'],
  [/\banew\b/gi, '"again", "recreate", "a new …"'],
  [
    /\b(?:tell|tells|telling|told)\b/gi,
    '"notify", "report", "show", "say", "announce"; "distinguish" for "tell apart"',
  ],
  [/\b(?:heed|heeds|heeded|heeding)\b/gi, '"respect", "obey", "consider"'],
  [/\bmak(?:e|es|ing) (?:\w+ )?again\b|\bmade again\b/gi, '"recreate", "recreated", "repeat"'],
  [/\bwhat is not\b/gi, 'name the things: "fields that are not …", "a value that is not …"'],
  [
    /(?:^\s*|[.:;!] |\n\s*(?:[-*] )?)What (?!to do:|(?:[^.?!]|\.\w)*\?)/g,
    'open with a verb or with what is returned: "Returns the …", "Fields that …", not "What …"',
  ],
];

/** First words of a docstring that leave out what it is about: "Of the letter", "Absent: healthy", "By name". */
const FRAGMENT =
  /^\s*(?:Of|By|As|For|In|Into|Without|On|Onto|With|From|At|After|Since|Until|So|Also|Before|Below|Behind|Above|Beside|Beyond|Between|Among|To|Towards|Once|Whose|Within|While|Over|Under|During|Per|Because|Or|And|But|Than|Like|Never|Neither|Otherwise|Absent|(?:Undefined|`undefined`|False|True|Default|Empty)(?=:| \d))(?![\w-])/;

/** Blanks out names: code in backticks, and every text without a blank. */
function withoutNames(text: string): string {
  return text.trim().includes(" ") ? text.replace(/`[^`\n]*`/g, (code) => "`".repeat(code.length)) : "";
}

/** Returns `path:line: "word": write …` for each banned word. */
function bannedIn(prose: readonly Prose[]): readonly string[] {
  return prose.flatMap(({ path, line, text: whole }) => {
    const text = withoutNames(whole);
    return BANNED.flatMap(([word, better]) =>
      [...text.matchAll(word)].map((match) => {
        const found = match[0].trimStart();
        const at = match.index + match[0].length - found.length;
        const lineOfWord = line + text.slice(0, at).split("\n").length - 1;
        return `${path}:${lineOfWord}: "${found.trim().replace(/\s+/g, " ")}": write ${better}`;
      }),
    );
  });
}

describe("English that a stranger reads once", () => {
  it("has no banned word", async () => {
    const prose = await proseIn("{,.github/}*.md", "{functions,shared,infra,test}/**/*.{ts,tsx,md}");
    // The list of the banned words itself.
    expect(bannedIn(prose.filter(({ path }) => path !== "test/invariants/words.test.ts"))).toEqual([]);
  });

  it("begins every docstring of the product with a verb or the thing", async () => {
    const prose = await proseIn("{functions,shared,infra}/**/*.{ts,tsx}");
    const fragments = prose.filter(({ isDocstring, text }) => isDocstring === true && FRAGMENT.test(text));
    expect(fragments.map(({ path, line, text }) => `${path}:${line}: ${text.trim()}`)).toEqual([]);
  });
});
