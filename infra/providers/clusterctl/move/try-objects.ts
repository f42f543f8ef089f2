import { Namespace } from "../../../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../../../shared/api/kinds.ts";
import type { Attempt } from "../../../../shared/contract/rules/move/subject.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import type { KubeClient } from "../../../../shared/runtime/ports.ts";
import { sideBySide } from "../../../../shared/runtime/write/side-by-side.ts";

/** An object that is tried. */
export interface Tried {
  readonly title: string;
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

interface Sides {
  readonly source: KubeClient;
  /** Its writes are dry runs. */
  readonly target: KubeClient;
}

/**
 * Asks the target, object by object in the order of creation, whether it would create them, without owners: theirs do
 * not exist there. Nothing is stored. Throws KubeError where a server does not answer.
 */
export async function tryObjects(
  { source, target }: Sides,
  groups: readonly (readonly Tried[])[],
): Promise<readonly Attempt[]> {
  const namespaces = new Set(groups.flat().flatMap(({ namespace }) => (namespace === "" ? [] : [namespace])));
  const missing = new Set<string>();
  await sideBySide([...namespaces], async (name) => {
    if ((await target.get(Namespace, { namespace: "", name })) === undefined) missing.add(name);
  });
  const attempts: Attempt[] = [...missing].map((name) => ({
    title: `Namespace ${name}`,
    outcome: "no namespace",
  }));
  for (const group of groups) {
    const possible = group.filter(({ namespace }) => !missing.has(namespace));
    await sideBySide(possible, async (tried) => {
      attempts.push({ title: tried.title, ...(await tryObject({ source, target }, tried)) });
    });
  }
  return attempts;
}

async function tryObject(
  { source, target }: Sides,
  { kind, namespace, name }: Tried,
): Promise<Omit<Attempt, "title">> {
  const found = await source.get(kind, { namespace, name });
  if (found === undefined) return { outcome: "gone" };
  try {
    await target.create(kind, asNew(found));
    return { outcome: "accepted" };
  } catch (error) {
    if (!(error instanceof KubeError) || error.status === 0) throw error;
    if (error.reason === "AlreadyExists") return { outcome: "exists" };
    return { outcome: "refused", message: messageOf(error, kind) };
  }
}

/** Returns a complete object as clusterctl creates it, except for what the server itself sets and for owners. */
function asNew(object: KubeObject): KubeObject {
  const { name, namespace, labels, annotations, finalizers } = object.metadata;
  const metadata = { name, namespace, labels, annotations, finalizers };
  return { ...object, metadata };
}

/** A server may quote a value in its refusal; of a Secret only the fields are named. */
function messageOf({ status, reason, message, causes }: KubeError, { kind, group }: Kind): string {
  if (kind !== "Secret" || group !== "") return message;
  const fields = causes.flatMap(({ field }) => (field === undefined ? [] : [field.slice(0, MAX_FIELD)]));
  return `${reason} (${status})${fields.length === 0 ? "" : `: ${fields.join(", ")}`}`;
}

const MAX_FIELD = 200;
