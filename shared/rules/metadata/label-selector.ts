import type { LabelSelector } from "../../api/meta.ts";
import { isLabelKey, isLabelValue } from "../../api/names.ts";
import { compareText } from "../conditions/conditions.ts";
import { truncate } from "../conditions/truncate.ts";

type Labels = { readonly [key: string]: string } | undefined;

/** A tenant's selector may hold texts of a mebibyte, and a problem stands in conditions. */
const MAX_QUOTED = 80;
const quoted = (text: string) => truncate(text, MAX_QUOTED);

/** Thousands of Machines are compared with each of them, in a process that serves other tenants, too. */
const MAX_REQUIREMENTS = 1_000;

/** A selector that is ready to be asked. */
export interface Selector {
  readonly matches: (labels: Labels) => boolean;
  /** The text as the API server reads and prints it: `tier=a,zone in (x,y),!old`, by key. Empty: every object. */
  readonly text: string;
  /** No object is left out. */
  readonly isEmpty: boolean;
}

interface Requirement {
  readonly key: string;
  readonly text: string;
  readonly holds: (value: string | undefined) => boolean;
}

/** The most characters of a selector in a status; one that is cut means other Machines. */
const MAX_TEXT = 4096;

/** Returns the text of a selector for the scale subresource; `undefined`: there is none, or it is too long. */
export function selectorTextOf(selector: Selector | undefined): string | undefined {
  return selector === undefined || selector.text.length > MAX_TEXT ? undefined : selector.text;
}

/**
 * Returns a selector, or what is wrong with it: `matchExpressions[0].operator is Like; …`. Objects without the label
 * match `NotIn` and `DoesNotExist`, as in Kubernetes. Linear in the length of the selector.
 */
export function parseSelector(selector: LabelSelector): Selector | { readonly problem: string } {
  const found: Requirement[] = [];
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const count = Object.keys(matchLabels).length + matchExpressions.length;
  if (count > MAX_REQUIREMENTS)
    return {
      problem: `matchLabels and matchExpressions have ${count} entries; write at most ${MAX_REQUIREMENTS}`,
    };
  for (const [key, value] of Object.entries(matchLabels)) {
    if (!isLabelKey(key))
      return { problem: `matchLabels has the key ${quoted(key)}, which is not a label key` };
    if (!isLabelValue(value))
      return { problem: `matchLabels[${quoted(key)}] is ${quoted(value)}, which is not a label value` };
    found.push({ key, text: `${key}=${value}`, holds: (label) => label === value });
  }
  for (const [index, expression] of matchExpressions.entries()) {
    const requirement = requirementOf(expression, `matchExpressions[${index}]`);
    if (typeof requirement === "string") return { problem: requirement };
    found.push(requirement);
  }
  const requirements = found.toSorted((a, b) => compareText(a.key, b.key) || compareText(a.text, b.text));
  return {
    matches: (labels) =>
      requirements.every(({ key, holds }) =>
        holds(labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined),
      ),
    text: requirements.map(({ text }) => text).join(","),
    isEmpty: requirements.length === 0,
  };
}

type Expression = NonNullable<LabelSelector["matchExpressions"]>[number];

function requirementOf({ key, operator, values = [] }: Expression, path: string): Requirement | string {
  if (!isLabelKey(key)) return `${path}.key is ${quoted(key)}, which is not a label key`;
  const bad = values.find((value) => !isLabelValue(value));
  if (bad !== undefined) return `${path}.values has ${quoted(bad)}, which is not a label value`;
  const listed = [...values].sort(compareText).join(",");
  const known = new Set(values);
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) return `${path}.values is empty; ${operator} needs at least one value`;
      return operator === "In"
        ? { key, text: `${key} in (${listed})`, holds: (label) => label !== undefined && known.has(label) }
        : {
            key,
            text: `${key} notin (${listed})`,
            holds: (label) => label === undefined || !known.has(label),
          };
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) return `${path}.values is set; ${operator} takes no values`;
      return operator === "Exists"
        ? { key, text: key, holds: (label) => label !== undefined }
        : { key, text: `!${key}`, holds: (label) => label === undefined };
    default:
      return `${path}.operator is ${quoted(operator)}; write In, NotIn, Exists or DoesNotExist`;
  }
}
