import { CLUSTER_GROUP, groupOf, type KubeObject } from "../../../../shared/api/kinds.ts";
import type { NamedReference } from "../../../../shared/contract/rules/move/subject.ts";

/** Bounds of one object: real ones have about ten references, none deeper than eight levels. */
const MAX_REFERENCES = 64;
const MAX_DEPTH = 16;
const MAX_VALUES = 20_000;

const REFERENCE = /(?:^r|R)ef(?:s|erences?)?$/;
const SECRET_NAME = /(?:^s|S)ecretName$/;

/**
 * Returns the objects that the spec of an object names: members such as `infrastructureRef`, `identityRef` and
 * `dataSecretName`, and the kubeconfig Secret of a Cluster. A reference without kind means a Secret.
 */
export function namedReferences(object: KubeObject): readonly NamedReference[] {
  const found: NamedReference[] = [];
  const open: Visit[] = [{ path: "spec", value: Reflect.get(object, "spec"), depth: 0 }];
  let values = 0;
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    values += 1;
    if (values > MAX_VALUES || found.length >= MAX_REFERENCES) break;
    const reference = referenceIn(visit);
    if (reference !== undefined) found.push(reference);
    else if (visit.depth < MAX_DEPTH) open.push(...membersOf(visit));
  }
  const { kind, apiVersion, metadata } = object;
  if (kind === "Cluster" && groupOf(apiVersion) === CLUSTER_GROUP) {
    found.push({ path: "metadata.name", group: "", kind: "Secret", name: `${metadata.name}-kubeconfig` });
  }
  return found;
}

interface Visit {
  readonly path: string;
  readonly value: unknown;
  readonly depth: number;
}

function referenceIn({ path, value }: Visit): NamedReference | undefined {
  const member = /([^.[\]]+)(?:\[\d+\])?$/.exec(path)?.[1] ?? "";
  if (SECRET_NAME.test(member)) {
    return isText(value) ? { path, group: "", kind: "Secret", name: value } : undefined;
  }
  if (!REFERENCE.test(member) || typeof value !== "object" || value === null) return undefined;
  const { name, kind, namespace, apiGroup, apiVersion } = value as { readonly [member: string]: unknown };
  if (!isText(name)) return undefined;
  const named = { path, name, namespace: isText(namespace) ? namespace : undefined };
  if (!isText(kind)) return { ...named, group: "", kind: "Secret" };
  if (isText(apiGroup)) return { ...named, group: apiGroup, kind };
  return { ...named, group: isText(apiVersion) ? groupOf(apiVersion) : undefined, kind };
}

function membersOf({ path, value, depth }: Visit): readonly Visit[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .slice(0, MAX_VALUES)
    .map(([name, each]: readonly [string, unknown]) => {
      const at = Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`;
      return { path: at, value: each, depth: depth + 1 };
    });
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
