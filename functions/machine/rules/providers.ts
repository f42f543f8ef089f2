import type { Machine } from "../../../shared/api/machine/machine.ts";
import { InfraMachine } from "../../../shared/contract/infra-machine.ts";
import type { Provider } from "../../../shared/rules/providers/adoption.ts";
import { bootstrapAmong, type MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";

/** Returns the bootstrap config with its reference; `undefined`: the Machine has no `configRef`. */
export function bootstrapOf({ spec }: Machine, providers: MachineProviders): Provider | undefined {
  return bootstrapAmong(spec, providers);
}

/** Returns the infrastructure machine with its reference. */
export function infrastructureOf({ spec }: Machine, { infrastructure }: MachineProviders): Provider {
  return { on: InfraMachine, reference: spec.infrastructureRef, found: infrastructure };
}

/** Returns those that the Machine references, in the order in which it needs them. */
export function providersOf(machine: Machine, providers: MachineProviders): readonly Provider[] {
  return [bootstrapOf(machine, providers), infrastructureOf(machine, providers)].filter(
    (provider) => provider !== undefined,
  );
}
