import { Secret } from "../api/core.ts";
import { type AnyFunction, isContractKind } from "./define-function.ts";

/** Groups of functions by the credentials that their worker holds: none, kubeconfigs to use, Secrets to make. */
export const GROUPS = ["core", "workload", "credentials"] as const;
export type Group = (typeof GROUPS)[number];

/**
 * Returns the group of a function. It follows from the spec alone. Source: S-01, S-03
 * `workload`: it sets `maxRunningPerTenant`, as all do that call workload servers. `credentials`: it makes Secrets, or
 * reads them.
 */
export function groupOf({ queue, calls = [], readsLive = [] }: AnyFunction["spec"]): Group {
  if (queue?.maxRunningPerTenant !== undefined) return "workload";
  const isSecret = (on: (typeof readsLive)[number]) =>
    !isContractKind(on) && on.group === Secret.group && on.kind === Secret.kind;
  const holdsSecrets = readsLive.some(isSecret) || calls.some(({ kind }) => isSecret(kind));
  return holdsSecrets ? "credentials" : "core";
}
