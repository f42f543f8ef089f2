import type { Machine } from "../../../shared/api/machine/machine.ts";
import { BootstrapConfig } from "../../../shared/contract/bootstrap-config.ts";
import { InfraMachine } from "../../../shared/contract/infra-machine.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import type { Provider } from "../../../shared/rules/providers/adoption.ts";

/** Reads of the provider objects of a Machine. */
export interface MachineProviders {
  /** `undefined`: the Machine has no `configRef`. */
  readonly bootstrap: Referenced | undefined;
  readonly infrastructure: Referenced;
}

/** Returns the bootstrap config with its reference; `undefined`: the Machine has no `configRef`. */
export function bootstrapOf({ spec }: Machine, { bootstrap }: MachineProviders): Provider | undefined {
  const { configRef } = spec.bootstrap;
  return configRef === undefined || bootstrap === undefined
    ? undefined
    : { on: BootstrapConfig, reference: configRef, found: bootstrap };
}

/** Returns the infrastructure machine with its reference. */
export function infrastructureOf({ spec }: Machine, { infrastructure }: MachineProviders): Provider {
  return { on: InfraMachine, reference: spec.infrastructureRef, found: infrastructure };
}

/** Returns those that the Machine references, in the order in which it needs them. */
export function providersOf(machine: Machine, providers: MachineProviders): readonly Provider[] {
  const bootstrap = bootstrapOf(machine, providers);
  return [...(bootstrap === undefined ? [] : [bootstrap]), infrastructureOf(machine, providers)];
}
