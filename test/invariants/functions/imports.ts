import { importsOf, type Source } from "../../support/sources.ts";

/** A feature that one can take away: the one file of another kind that knows it, through one file of its own. */
const HOOKS: { readonly [path: string]: string } = {
  "functions/mhc/rules/binding.ts": "functions/remediationpolicy/rules/binding.ts",
};

/**
 * Returns what files of a kind import that is neither of this kind nor shared, or that belongs to the runtime. Beside its
 * functions a provider has the types of its kinds, in `api`.
 */
export function foreignImports(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) => {
    const kind = source.path.split("/").slice(0, 2).join("/");
    const isKnown = (name: string) =>
      ["shared/", "api/", `${kind}/`].some((known) => name.startsWith(known)) || HOOKS[source.path] === name;
    return importsOf(source)
      .filter((name) => !isKnown(name) || name.startsWith("shared/runtime/"))
      .map((name) => `${source.path} imports ${name}`);
  });
}

const CLOCK_OR_CHANCE =
  /\bDate\.now\b|\bMath\.random\b|\bnew Date\(\s*\)|\bset(?:Timeout|Interval|Immediate)\b/;
const EFFECTS = /\bconsole\.|\bprocess\./;

/** Returns files that have a clock, chance, timers, or effects outside of what they return. */
export function impure(sources: readonly Source[]): readonly string[] {
  return sources
    .filter(({ code }) => CLOCK_OR_CHANCE.test(code) || EFFECTS.test(code))
    .map(({ path }) => path);
}
