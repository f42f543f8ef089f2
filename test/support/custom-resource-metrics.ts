import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import type { KubeObject } from "../../shared/api/kinds.ts";
import { PUBLISHED_CONFIG } from "./processes/cluster-api.ts";

type Path = readonly string[];

interface Each {
  readonly path?: Path | null;
  readonly valueFrom?: Path | null;
  readonly labelsFromPath?: { readonly [label: string]: Path };
  readonly nilIsZero?: boolean;
  readonly list?: readonly string[];
}

/** One family of a CustomResourceStateMetrics configuration. */
interface Family {
  readonly name: string;
  readonly each: { readonly gauge?: Each; readonly stateSet?: Each; readonly info?: Each };
}

export interface Resource {
  readonly groupVersionKind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly metricNamePrefix: string;
  readonly metrics: readonly Family[];
}

/** The configuration for kube-state-metrics that Cluster API publishes in its folder `config`, unmodified. */
export async function upstreamMetrics(config = PUBLISHED_CONFIG): Promise<readonly Resource[]> {
  const text = await readFile(join(config, "metrics/crd-metrics-config.yaml"), "utf8");
  return (parse(text) as { readonly spec: { readonly resources: readonly Resource[] } }).spec.resources;
}

/** The fields of an object that a resource's metrics read, below members of a list as below an object: `status.conditions.type`. */
export function fieldsRead({ metrics }: Resource): readonly string[] {
  const each = metrics.flatMap(({ each: { gauge, stateSet, info } }) => gauge ?? stateSet ?? info ?? []);
  const fields = each.flatMap(({ path, valueFrom, labelsFromPath = {} }) =>
    [valueFrom, ...Object.values(labelsFromPath)].map((below) =>
      [...(path ?? []), ...(below ?? [])].join("."),
    ),
  );
  return [...new Set(fields)];
}

/**
 * The families of a resource in which kube-state-metrics would have no line for any of the objects: it follows the paths as
 * its documentation says. A stand-in, because kube-state-metrics itself is not to be had here.
 */
export function emptyFamilies(
  { metrics, metricNamePrefix }: Resource,
  objects: readonly KubeObject[],
): readonly string[] {
  return metrics
    .filter(({ each }) => !objects.some((object) => hasLine(each, object)))
    .map(({ name }) => `${metricNamePrefix}_${name}`);
}

function hasLine({ gauge, stateSet, info }: Family["each"], object: KubeObject): boolean {
  if (gauge !== undefined) {
    const values = valuesOf(gauge, object);
    return (
      values.some((value) => !Number.isNaN(gaugeOf(value))) ||
      (gauge.nilIsZero === true && values.length === 0)
    );
  }
  if (stateSet !== undefined) {
    return valuesOf(stateSet, object).some((value) => stateSet.list?.includes(String(value)) === true);
  }
  return info !== undefined && valuesOf(info, object).length > 0;
}

/** The value at a path, or below each member of a list there. */
function valuesOf({ path, valueFrom }: Each, object: KubeObject): readonly unknown[] {
  const found = at(object, path ?? []);
  const members = Array.isArray(found) ? found : [found];
  return members.map((member) => at(member, valueFrom ?? [])).filter((value) => value !== undefined);
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) => (inner as { [step: string]: unknown } | undefined)?.[step],
    value,
  );
}

/** Numbers, truth values and times. */
function gaugeOf(value: unknown): number {
  if (typeof value === "boolean" || typeof value === "number") return Number(value);
  return Date.parse(String(value));
}
