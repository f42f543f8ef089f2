import type { ManifestDocument } from "../../../../shared/contract/rules/release/subject.ts";
import type { Lookup, Template } from "../variables/substitute.ts";
import { ManifestError, readObjects } from "./objects.ts";

/** UTF-16 units up to which the variable that breaks a text is searched: one parse for each. */
const MAX_SEARCHED = 4 * 1024 * 1024;
const MAX_SUSPECTS = 50;

/**
 * Returns the objects of a text with values. Throws ManifestError; where a value is the reason, its message names the
 * variable and quotes nothing. TemplateError as `evaluate`.
 */
export function substitutedObjects(template: Template, lookup: Lookup): readonly ManifestDocument[] {
  const text = template.evaluate(lookup);
  try {
    return readObjects(text);
  } catch (error) {
    if (!(error instanceof ManifestError) || error.isTooLarge) throw error;
    const given = template.variables.filter(({ name }) => lookup(name) !== undefined);
    if (given.length === 0) throw error;
    throw explained(error, template, {
      lookup,
      suspects: text.length > MAX_SEARCHED ? [] : given.slice(0, MAX_SUSPECTS),
    });
  }
}

interface Search {
  readonly lookup: Lookup;
  readonly suspects: Template["variables"];
}

function explained(error: ManifestError, template: Template, { lookup, suspects }: Search): ManifestError {
  const culprit = suspects.find(({ name }) =>
    breaks(template, (each) => (each === name ? lookup(each) : each)),
  );
  if (culprit !== undefined) {
    const reason = `the value of ${culprit.name} breaks the YAML; put it in quotes, or \${${culprit.name}} in the file`;
    return new ManifestError(reason, { line: culprit.line, cause: error });
  }
  // The text may hold values.
  const reason = "the text with values is not YAML; check them and the text around them";
  return new ManifestError(reason, { line: error.line, cause: error });
}

function breaks(template: Template, lookup: Lookup): boolean {
  try {
    readObjects(template.evaluate(lookup));
    return false;
  } catch {
    return true;
  }
}
