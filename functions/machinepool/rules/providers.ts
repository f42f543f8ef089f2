import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { InfraMachinePool } from "../../../shared/contract/infra-machine-pool.ts";
import type { Provider } from "../../../shared/rules/providers/adoption.ts";
import { bootstrapAmong, type MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";

/** Returns the bootstrap object with its reference; `undefined`: the pool has no `configRef`. */
export function bootstrapOf({ spec }: MachinePool, providers: MachineProviders): Provider | undefined {
  return bootstrapAmong(spec.template.spec, providers);
}

/** Returns the infrastructure object with its reference. */
export function infrastructureOf({ spec }: MachinePool, { infrastructure }: MachineProviders): Provider {
  return { on: InfraMachinePool, reference: spec.template.spec.infrastructureRef, found: infrastructure };
}

/** Returns those that the pool references, in the order in which it needs them. */
export function providersOf(pool: MachinePool, providers: MachineProviders): readonly Provider[] {
  return [bootstrapOf(pool, providers), infrastructureOf(pool, providers)].filter(
    (provider) => provider !== undefined,
  );
}
