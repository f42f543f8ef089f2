import { type Judgement, orPass, pass, warn } from "../rule.ts";
import { COMMON_VARIABLES } from "./common-variables.ts";
import { providerOf } from "./provider-label.ts";
import { CLUSTERCTL_BOOK, placeOfFile, type ReleaseRule, releaseRule } from "./release-rule.ts";
import type { Release, ReleaseFile, ReleaseVariable } from "./subject.ts";

/** Settings that the components of Cluster API itself and of its providers share. */
const SHARED_PREFIXES = ["CAPI_", "EXP_"];

/** Rules on the variables of a release. */
export const VARIABLE_RULES: readonly ReleaseRule[] = [
  releaseRule({
    id: "CTL-24",
    level: "SHOULD",
    sentence: "Variables of the components begin with the name of the provider and have a default or a value",
    effect: "clusterctl fails where a variable has neither: value for variables […] is not set",
    source: CLUSTERCTL_BOOK,
    check: (release) => {
      const { components, templates, classes } = release;
      const inComponents = components === undefined ? [] : judgeComponents(components, release);
      const traps = [...templates, ...classes].flatMap((file) =>
        file.variables.flatMap((each) => judgeOperator(file, each)),
      );
      return orPass(
        [...inComponents, ...traps],
        components === undefined ? undefined : placeOfFile(components),
      );
    },
  }),
];

function judgeComponents(file: ReleaseFile, release: Release): readonly Judgement[] {
  return file.variables.flatMap((variable) => {
    const found = [
      ...judgePrefix(file, variable, release),
      ...judgeValue(file, variable),
      ...judgeOperator(file, variable),
    ];
    return found.length > 0 ? found : [pass({ at: placeOfFile(file, variable.line), found: variable.name })];
  });
}

function judgePrefix(
  file: ReleaseFile,
  { name, line }: ReleaseVariable,
  { label }: Release,
): readonly Judgement[] {
  const provider = providerOf(label);
  // Settings of core are shared by all providers.
  if (provider === undefined || provider.type === "core") return [];
  const prefix = `${provider.name.toUpperCase().replaceAll(/[-.]/g, "_")}_`;
  if ([prefix, ...SHARED_PREFIXES].some((each) => name.startsWith(each))) return [];
  const effect = "Two providers may use the name for different things";
  return [warn({ at: placeOfFile(file, line), found: name, expected: `${prefix}…`, effect })];
}

function judgeValue(file: ReleaseFile, variable: ReleaseVariable): readonly Judgement[] {
  if (variable.default !== undefined || variable.isGiven) return [];
  const found = `${variable.name} without default and value; its name was taken for a value`;
  return [
    warn({
      at: placeOfFile(file, variable.line),
      found,
      expected: "a default, or documentation and --variables",
    }),
  ];
}

/** A variable that is first used with another operator counts as one with a default, and becomes empty. */
function judgeOperator(file: ReleaseFile, variable: ReleaseVariable): readonly Judgement[] {
  const { name, operator, line } = variable;
  if (variable.default === undefined || variable.hasDefault) return [];
  const found = `${name} first used with ${operator}`;
  const use = COMMON_VARIABLES.has(name) ? `\${${name}}` : `\${${name}} or \${${name}:=…}`;
  const effect = "clusterctl never reports it missing: it becomes empty";
  return [warn({ at: placeOfFile(file, line), found, expected: `${use} before it`, effect })];
}
