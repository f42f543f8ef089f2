import * as fc from "fast-check";

/** Values of the variables that forms use; `UNSET` has none. */
export const FORM_VALUES: { readonly [name: string]: string } = {
  A: "aabbab",
  EMPTY: "",
  DOTS: "a.b.c",
  FILE: "dir/sub/File.tar.gz",
  WIDE: "Ünïcödé ß Σ",
  THREE: "3",
  MINUS: "-2",
  NESTED: "${A}",
  ODD: "a]b[c*d?e\\f",
  _1X: "Lower_case",
};

const name = fc.constantFrom(...Object.keys(FORM_VALUES), "UNSET");
const chars = (...more: readonly string[]): fc.Arbitrary<string> =>
  fc.string({
    unit: fc.constantFrom("a", "b", "c", "é", ".", "*", "?", "[", "]", "^", "-", "\\", "$", " ", ...more),
    maxLength: 6,
  });
const number = fc.constantFrom(
  "0",
  "1",
  "3",
  "7",
  "99",
  " -3",
  "+2",
  "x",
  "9999999999999999999",
  "${THREE}",
  "${MINUS}",
);
const defaults: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      chars("/", ":", "{", "="),
      name.map((each) => `\${${each}}`),
      name.map((each) => `\${${each}:-d}`),
    ),
    { maxLength: 3 },
  )
  .map((parts) => parts.join(""));
const pattern = fc.oneof(
  chars("/", "}"),
  name.map((each) => `\${${each}}`),
);

const form = fc.oneof(
  chars("/", "{", "}"),
  name.map((each) => `\${${each}}`),
  fc.tuple(fc.constantFrom("$", "$$", "$$$"), name).map(([dollars, each]) => `${dollars}\${${each}}`),
  fc
    .tuple(fc.constantFrom(" ", "", "\t"), name, fc.constantFrom(" ", ""))
    .map(([left, each, right]) => `\${${left}${each}${right}}`),
  fc.tuple(name, fc.constantFrom("=", ":=", ":-", ":?", ":+"), defaults).map((parts) => bracketed(...parts)),
  fc.tuple(name, number).map(([each, offset]) => `\${${each}:${offset}}`),
  fc.tuple(name, number, number).map(([each, offset, length]) => `\${${each}:${offset}:${length}}`),
  fc.tuple(name, fc.constantFrom("^", "^^", ",", ",,", ",^")).map((parts) => bracketed(...parts)),
  name.map((each) => `\${#${each}}`),
  fc.tuple(name, fc.constantFrom("#", "##", "%", "%%"), pattern).map((parts) => bracketed(...parts)),
  fc
    .tuple(name, fc.constantFrom("/", "//", "/#", "/%"), pattern, fc.constantFrom("/", "//"), pattern)
    .map((parts) => bracketed(...parts)),
);

function bracketed(...parts: readonly string[]): string {
  return `\${${parts.join("")}}`;
}

/** Texts of one line with `${…}` in every form of the grammar; many do not parse. */
export const substitutionForms: fc.Arbitrary<string> = fc
  .array(form, { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(""));

/** Components with a ConfigMap that has each form as a value; those with a default of their own make no variable missing. */
export function componentsWith(forms: readonly string[]): string {
  const values = forms.map((text, index) => `  form-${index}: |-\n    <${text}|>\n`);
  return `# \${UNSET:=x}
apiVersion: v1
kind: Namespace
metadata: {name: forms}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: forms}
data:
${values.join("")}`;
}

/** Each form of the grammar with its result for FORM_VALUES. */
export const KNOWN_FORMS: readonly (readonly [form: string, result: string])[] = [
  ["$A $(A) $", "$A $(A) $"],
  ["$${A} $$$${A} $$${A}", "${A} $${A} $aabbab"],
  ["back\\slash \\${A}", "back\\slash \\aabbab"],
  ["[${UNSET}] [${EMPTY}]", "[] []"],
  ["${A}${ A}${A }${ A }", "aabbabaabbabaabbabaabbab"],
  ["${_1X}", "Lower_case"],
  ["${NESTED}", "${A}"],
  ["${EMPTY=d} ${EMPTY:=d} ${EMPTY:-d} ${EMPTY:?d} ${EMPTY:+d}", "d d d d d"],
  ["${A=d} ${A:=d} ${A:-d} ${A:?d} ${A:+d}", "aabbab aabbab aabbab aabbab aabbab"],
  ["${EMPTY:=a ${A}-${EMPTY:=in ${THREE}} b$$c}", "a aabbab-in 3 b$$c"],
  ['${EMPTY:=""}', '""'],
  ["[${EMPTY:=}]", "[]"],
  ["${A:2} ${A:1:3} ${A:${THREE}} ${A:${MINUS}}", "bbab abb bab ab"],
  ["${A:x} ${A: -3} ${A:1:x} ${A:2:3:4} [${A:99}]", "aabbab aabbab aabbab aabbab []"],
  ["${_1X,} ${_1X,,} ${A^} ${A^^} ${_1X,^}", "lower_case lower_case Aabbab AABBAB Lower_case"],
  ["${WIDE^^}", "ÜNÏCÖDÉ ß Σ"],
  ["${WIDE,,}", "ünïcödé ß σ"],
  ["${#A} ${#WIDE} ${#UNSET}", "6 17 0"],
  ["${DOTS#*.} ${DOTS##*.} ${DOTS%.*} ${DOTS%%.*}", "b.c c a.b a"],
  [
    "${FILE##*/} ${FILE#*/} ${FILE#d?r} ${FILE#[a-e]} ${FILE#[^a-c]}",
    "File.tar.gz sub/File.tar.gz /sub/File.tar.gz ir/sub/File.tar.gz ir/sub/File.tar.gz",
  ],
  ["${A#[} ${A#\\a} ${A%[b]} ${A#x}", "aabbab abbab aabbab aabbab"],
  ["${A/b/x} ${A//b/x} ${A/#aa/x} ${A/%ab/x} ${A/#b/x}", "aaxbab aaxxax xbbab aabbx aabbab"],
  ["${A/b/} ${A//b/} ${A/#a/} ${A/%b/}", "aabab aaa aabbab aabbab"],
  ["${FILE/\\//-} ${ODD/\\\\/-} ${FILE//\\//}", "dir-sub/File.tar.gz a]b[c*d?e-f dirsubFile.tar.gz"],
  ["${A/*/x} ${A/a//x}", "aabbab xabbab"],
];

/** Forms that do not parse, with the words of clusterctl. */
export const BROKEN_FORMS: readonly (readonly [form: string, words: string])[] = [
  ["${}", "unable to parse variable name"],
  ["${-A}", "unable to parse variable name"],
  ["${ A:=x}", "unable to parse variable name"],
  ["${A :=x}", "missing closing brace"],
  ["${A-x}", "missing closing brace"],
  ["${A?x}", "missing closing brace"],
  ["${A+x}", "missing closing brace"],
  ["${A$FOO}", "missing closing brace"],
  ["${A", "missing closing brace"],
  ["${A:=x", "unable to parse substitution within function"],
  ["${A:}", "unable to parse substitution within function"],
  ["${A:1:}", "unable to parse substitution within function"],
  ["${A#}", "unable to parse substitution within function"],
  ["${A:é}", "bad substitution"],
  ["${#}", "bad substitution"],
  ["${A^^^}", "bad substitution"],
  ["${A#a${A}}", "bad substitution"],
  ["${A/b}", "bad substitution"],
];
