import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { dnsLabel } from "../../../shared/api/meta.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { type Problem, problem } from "../problem.ts";

/** Returns the function of this name; throws the Problem that there is none. */
export function functionNamed(functions: readonly AnyFunction[], name = ""): AnyFunction {
  const found = functions.find(({ spec }) => spec.name === name);
  if (found !== undefined) return found;
  throw problem("notFound", "no function has this name", "take one of those that /api/v1/me lists");
}

/** Returns a kind that a function reconciles, by its name in any case. */
export function kindNamed(functions: readonly AnyFunction[], name = ""): Kind {
  const wanted = name.toLowerCase();
  const found = functions.find(({ spec }) => spec.reconciles.kind.toLowerCase() === wanted);
  if (found !== undefined) return found.spec.reconciles;
  throw problem("notFound", "no function reconciles this kind", "take the kind of one that /api/v1/me lists");
}

export const CLUSTER = Cluster as unknown as Kind;

/**
 * The Problem of an object that the read model does not hold. The namespace comes from a link, which any
 * page may have made: only what a namespace may be called gets into a command for a shell.
 */
export function unknownObject({ kind, plural, group }: Kind, namespace: string): Problem {
  const message = `the read model holds no ${kind} of this name: it does not exist, or no relay has listed it`;
  const scope = dnsLabel().safeParse(namespace).success ? `--namespace ${namespace}` : "--all-namespaces";
  return problem("notFound", message, `list them with: kubectl get ${plural}.${group} ${scope}`);
}
