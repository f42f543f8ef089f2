import { CLUSTER_NAME_LABEL } from "../../api/indexes.ts";
import type { LabelSelector } from "../../api/meta.ts";
import type { PatchOperation } from "../../api/patch.ts";
import { sameJson } from "../../api/path.ts";

/** The fields that `filledLabelsPatch` fills. */
export const FILLED_FIELDS = ["spec.selector", "spec.template.metadata.labels"] as const;

type Labels = { readonly [key: string]: string };

/** The part of a `spec` that says which Machines belong to it; admission would have filled it. */
export interface Selecting {
  readonly clusterName: string;
  readonly selector?:
    | (Omit<LabelSelector, "matchLabels"> & { readonly matchLabels?: Labels | null | undefined })
    | undefined;
  readonly template: { readonly metadata?: { readonly labels?: Labels | undefined } | undefined };
}

/**
 * Returns selector and labels of the template as admission fills them: both with the label of the Cluster, and where
 * nothing is selected with `own`.
 */
export function filledLabels(
  { clusterName, selector, template }: Selecting,
  own: Labels,
): { readonly selector: LabelSelector; readonly labels: Labels } {
  const { matchExpressions = [] } = selector ?? {};
  const matchLabels = selector?.matchLabels ?? {};
  const isEmpty = Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
  const added = { ...(isEmpty ? own : {}), [CLUSTER_NAME_LABEL]: clusterName };
  return {
    selector: { ...selector, matchLabels: { ...matchLabels, ...added } },
    labels: { ...template.metadata?.labels, ...added },
  };
}

/** Returns what fills them. Selector and template change together, so that they match at any time. */
export function filledLabelsPatch(spec: Selecting, own: Labels): readonly PatchOperation[] {
  const { metadata } = spec.template;
  const { selector, labels } = filledLabels(spec, own);
  const template: PatchOperation =
    metadata === undefined
      ? { op: "add", path: "/spec/template/metadata", value: { labels } }
      : { op: "add", path: "/spec/template/metadata/labels", value: labels };
  return [
    ...(sameJson(spec.selector, selector)
      ? []
      : [{ op: "add", path: "/spec/selector", value: selector } as const]),
    ...(sameJson(metadata?.labels, labels) ? [] : [template]),
  ];
}
