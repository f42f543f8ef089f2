import type { SceneAnswer } from "./scene.ts";

/** Short: most texts are cut after 300 characters, some after 80. */
const MARKUP = [
  "<img src=x onerror=hacked=1>",
  '"><svg onload=hacked=1>',
  "<script>hacked=1</script>",
  "</p><iframe srcdoc=x></iframe>",
  "<form><button autofocus onfocus=hacked=1>",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what template engines would run.
  "{{hacked=1}} ${hacked=1}",
];

/** Texts that attack, together twelve payloads: those that must be a text of their own are. */
export const PAYLOADS: readonly { readonly name: string; readonly text: string }[] = [
  { name: "markup", text: MARKUP.join("") },
  { name: "a script as an address", text: "javascript:window.hacked=1" },
  { name: "an address of another server", text: "//evil.example/../..?x=1#y" },
  { name: "a member of all objects", text: "__proto__" },
  {
    name: "control, bidirectional and lone characters, and a long word",
    text: `\u202Eright to left\u2066 \u0000\u0007\u001b[2J\u009b31m \ud800 \udc00 \u200b\ufeff a${"\u0301".repeat(20)} ${"W".repeat(4_000)}`,
  },
];

/** Fields whose values the page compares, or that the server makes itself: their texts never come from outside. */
const OWN = new Set([
  ...["state", "outcome", "verb", "about", "type", "class", "by", "verdict", "subresource", "next", "routes"],
  ...[
    "asOf",
    "since",
    "until",
    "endedAt",
    "deadSince",
    "firstFailureAt",
    "oldest",
    "newest",
    "seenAt",
    "at",
    "knownSince",
    "start",
    "from",
  ],
]);

/** Returns answers in which every text from outside is the payload; keys of lists stay different by a number behind it. */
export function hostileAnswers(
  answers: { readonly [topic: string]: SceneAnswer | undefined },
  text: string,
): { readonly [topic: string]: SceneAnswer } {
  let count = 0;
  const replace = (value: unknown, field: string): unknown => {
    if (typeof value === "string") return OWN.has(field) ? value : `${text}${count++ % 2 === 0 ? "" : count}`;
    if (Array.isArray(value)) return value.map((each) => replace(each, field));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replace(each, name)]));
  };
  return Object.fromEntries(
    Object.entries(answers).map(([topic, answer]) => [topic, topic === "me" ? answer : replace(answer, "")]),
  ) as { readonly [topic: string]: SceneAnswer };
}
