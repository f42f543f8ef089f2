import type { ContractReference } from "../../../shared/api/kinds.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { BootstrapConfig } from "../../../shared/contract/bootstrap-config.ts";
import { InfraMachinePool } from "../../../shared/contract/infra-machine-pool.ts";
import type { Found, Referenced, Unresolved } from "../../../shared/contract/referenced.ts";
import { describeReference } from "../../../shared/function/define-function.ts";
import { awaitedDefinition } from "../../../shared/rules/providers/awaited-definition.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import { isForeign } from "./adoption.ts";

/**
 * Returns the provider objects that a deleted pool takes with it and that still exist: its own and those without a
 * controller. One of another controller counts as gone. Differs: upstream deletes that, too.
 */
export function remainingProviders(pool: MachinePool, providers: MachineProviders): readonly Found[] {
  return [providers.bootstrap, providers.infrastructure].filter(
    (found): found is Found => found?.state === "found" && !isForeign(pool, found.object),
  );
}

/**
 * Returns the wait of the deletion before it turns to the Nodes, by field: a provider object that must go, or
 * a definition that must show whether it has. `undefined` once both are gone.
 */
export function awaitedDeletion(pool: MachinePool, providers: MachineProviders): string | undefined {
  const [first] = remainingProviders(pool, providers);
  if (first !== undefined) {
    const { contract } = first === providers.bootstrap ? BootstrapConfig : InfraMachinePool;
    return `${contract}.metadata.uid`;
  }
  const [unreadable] = unreadableProviders(pool, providers);
  return unreadable === undefined ? undefined : awaitedDefinition(unreadable.found, unreadable.reference);
}

/**
 * Returns the provider objects of which it is unknown whether they are gone: their CRD has no supported contract. A CRD
 * that does not exist took its objects with it.
 */
export function unreadableProviders(
  { spec }: MachinePool,
  { bootstrap, infrastructure }: MachineProviders,
): readonly { readonly reference: ContractReference; readonly found: Unresolved }[] {
  const {
    bootstrap: { configRef },
    infrastructureRef,
  } = spec.template.spec;
  return [
    ...(configRef !== undefined && isUnreadable(bootstrap)
      ? [{ reference: configRef, found: bootstrap }]
      : []),
    ...(isUnreadable(infrastructure) ? [{ reference: infrastructureRef, found: infrastructure }] : []),
  ];
}

function isUnreadable(found: Referenced | undefined): found is Unresolved {
  return found?.state === "unresolved" && found.crdExists;
}

/** Returns the waits of a pool's deletion, for its condition. */
export function deletionMessage(pool: MachinePool, providers: MachineProviders): string {
  const [unreadable] = unreadableProviders(pool, providers);
  if (unreadable !== undefined) return unreadable.found.message;
  const remaining = remainingProviders(pool, providers);
  if (remaining.length > 0) {
    const names = remaining.map(({ object, kind }) =>
      describeReference({ apiGroup: kind.group, kind: kind.kind, name: object.metadata.name }),
    );
    return `Waiting for ${names.join(" and ")} to be deleted`;
  }
  const nodes = pool.status?.nodeRefs?.length ?? 0;
  return nodes > 0 ? `Waiting for ${nodes} Nodes to be deleted` : "Waiting for finalizers to be removed";
}
