import type { Judgement } from "../../../shared/contract/rules/rule.ts";
import { GOOD_FILES, type ReleaseFiles } from "./good-release.ts";

/** How a release differs from the good one. */
export interface Change {
  readonly label?: string;
  readonly version?: string;
  readonly others?: readonly string[];
  /** Files in place of those of the good release; undefined: it has none. */
  readonly files?: { readonly [name: string]: string | undefined };
}

/** A release that breaks one rule, and what the rule says of it. */
export type BrokenRelease = readonly [
  rule: string,
  title: string,
  change: Change,
  finding: Partial<Judgement>,
];

export const COMPONENTS = "infrastructure-components.yaml";

export function filesOf({ files = {} }: Change): ReleaseFiles {
  const all = Object.entries({ ...GOOD_FILES, ...files });
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function goodText(name: string): string {
  const text = GOOD_FILES[name];
  if (text === undefined) throw new Error(`the good release has no ${name}`);
  return text;
}

/** The good text with one stretch replaced, which must be there. */
export function edited(name: string, text: string, by: string): { readonly [name: string]: string } {
  const good = goodText(name);
  if (!good.includes(text)) throw new Error(`${name} has no ${text}`);
  return { [name]: good.replaceAll(text, by) };
}

export function withObject(text: string): Change {
  return { files: { [COMPONENTS]: `${GOOD_FILES[COMPONENTS]}---\n${text}` } };
}

export function components(text: string, by: string): Change {
  return { files: edited(COMPONENTS, text, by) };
}

/** The same release under another label. */
export function relabelled(label: string, file: string): Change & Required<Pick<Change, "label" | "files">> {
  const text = goodText(COMPONENTS).replaceAll("infrastructure-good", label).replace("GOOD_V", "CAPI_V");
  return { label, files: { [COMPONENTS]: undefined, [file]: text } };
}

/** Members of the metadata of an object that is part of the good release. */
export const LABELLED = "namespace: good-system, labels: {cluster.x-k8s.io/provider: infrastructure-good}";
export const POD =
  "{template: {spec: {containers: [{name: manager, image: registry.example.com/a:v1, args: [--namespace=, --watch-filter=]}]}}}";
