import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { BootstrapConfig } from "../../../shared/contract/bootstrap-config.ts";
import { InfraMachinePool } from "../../../shared/contract/infra-machine-pool.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import type { Provider } from "../../../shared/rules/providers/adoption.ts";

/** Reads of the provider objects of a pool. */
export interface PoolProviders {
  /** `undefined`: the pool has no `configRef`. */
  readonly bootstrap: Referenced | undefined;
  readonly infrastructure: Referenced;
}

/** Returns the bootstrap object with its reference; `undefined`: the pool has no `configRef`. */
export function bootstrapOf({ spec }: MachinePool, { bootstrap }: PoolProviders): Provider | undefined {
  const { configRef } = spec.template.spec.bootstrap;
  return configRef === undefined || bootstrap === undefined
    ? undefined
    : { on: BootstrapConfig, reference: configRef, found: bootstrap };
}

/** Returns the infrastructure object with its reference. */
export function infrastructureOf({ spec }: MachinePool, { infrastructure }: PoolProviders): Provider {
  return { on: InfraMachinePool, reference: spec.template.spec.infrastructureRef, found: infrastructure };
}

/** Returns those that the pool references, in the order in which it needs them. */
export function providersOf(pool: MachinePool, providers: PoolProviders): readonly Provider[] {
  const bootstrap = bootstrapOf(pool, providers);
  return [...(bootstrap === undefined ? [] : [bootstrap]), infrastructureOf(pool, providers)];
}
