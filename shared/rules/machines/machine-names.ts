import { DNS_SUBDOMAIN } from "../../api/meta.ts";

/** Letters for names, without vowels, and without digits that look like letters: none is a word or misread. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const RANDOM_LENGTH = 5;
const MAX_TEMPLATE = 256;
/** Longer names are cut, so that a name is a label value and a host name. */
const MAX_NAME = 63;
/** The part of a name that is cut before its five last characters. */
export const MAX_NAME_STEM = MAX_NAME - RANDOM_LENGTH;
const VARIABLE = /\{\{([^{}]*)\}\}/g;
const RANDOM = ".random";

/** Values of the variables of a template by their path without the dot in front: `machineSet.name`. */
export type NameVariables = { readonly [path: string]: string };

/** A template that gives names; `draw` returns five random characters, new ones at every call. */
export type Naming = (draw: () => string) => string;

/**
 * Reads a template of names: text with `{{ .random }}` and the variables, nothing else of Go's template language.
 * Returns what is wrong with any other: `has {{ .foo }}, …`. A name of more than 63 characters is cut to 58 and gets
 * five more random characters.
 */
export function parseNaming(
  template: string,
  variables: NameVariables,
): Naming | { readonly problem: string } {
  if (template.length > MAX_TEMPLATE) return { problem: `has more than ${MAX_TEMPLATE} characters` };
  const known = [RANDOM, ...Object.keys(variables).map((path) => `.${path}`)];
  const found = [...template.matchAll(VARIABLE)].map(([, inner = ""]) => inner.trim());
  const unknown = found.find((path) => !known.includes(path));
  if (unknown !== undefined)
    return { problem: `has {{ ${unknown} }}; the variables are ${known.join(", ")}` };
  if (!found.includes(RANDOM))
    return { problem: `has no {{ ${RANDOM} }}; add it, it makes each name its own` };
  if (/\{\{|\}\}/.test(template.replaceAll(VARIABLE, "")))
    return { problem: "has a {{ or }} without the other; write both, or neither" };
  const naming: Naming = (draw) => {
    const name = template.replaceAll(VARIABLE, (_, inner: string) => {
      const path = inner.trim();
      return path === RANDOM ? draw() : (variables[path.slice(1)] ?? "");
    });
    return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME_STEM)}${draw()}` : name;
  };
  const example = naming(() => ALPHABET.slice(0, RANDOM_LENGTH));
  return NAME.test(example)
    ? naming
    : {
        problem: `gives names such as ${example}, which are not DNS names; use lower-case letters, digits and -`,
      };
}

const NAME = new RegExp(`^${DNS_SUBDOMAIN}$`);

/** Returns whether an object may have this name, and a label this value. */
export function isMachineName(name: string): boolean {
  return name.length <= MAX_NAME && NAME.test(name);
}

/**
 * Returns `count` different names that are not `taken`: always the same for the same `seed`, other ones for every
 * other.
 */
export function drawNames(
  naming: Naming,
  count: number,
  { seed, taken }: { readonly seed: string; readonly taken: ReadonlySet<string> },
): readonly string[] {
  const names = new Set<string>();
  let index = 0;
  const draw = () => suffixOf(hashOf(`${seed}/${index++}`));
  // 27^5 texts: among a few thousand names the next free one is near.
  for (let attempt = 0; names.size < count && attempt < 100 * count; attempt += 1) {
    const name = naming(draw);
    if (!taken.has(name)) names.add(name);
  }
  return [...names];
}

/** Returns five characters of a hash, for the end of a name. */
export function suffixOf(hash: bigint): string {
  let left = hash;
  let text = "";
  while (text.length < RANDOM_LENGTH) {
    text += ALPHABET[Number(left % BigInt(ALPHABET.length))];
    left /= BigInt(ALPHABET.length);
  }
  return text;
}

/**
 * Returns a hash of 56 bits: FNV-1a of 64 bits, mixed once more, so that texts that differ in the last character give
 * unlike names.
 */
export function hashOf(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return BigInt.asUintN(64, (hash ^ (hash >> 33n)) * 0xff51afd7ed558ccdn) >> 8n;
}
