import type { ContractKind } from "../../../shared/contract/contract-kind.ts";
import { providerOf } from "../../../shared/function/providers.ts";
import type { Provider } from "../../deploy/providers.ts";
import type { Place } from "../../deploy/rights.ts";
import { SIM_KINDS } from "../api/kinds.ts";
import { SimServer } from "../api/sim-cloud.ts";
import { cloudAccount, cloudDeployment } from "./cloud.ts";
import { clusterTemplates } from "./templates.ts";

/** Returns the kind of the simulated provider that follows a contract: its functions meet no other one. */
export function ofSim({ contract }: ContractKind): Place {
  const name = `Sim${contract.replace(/^Infra/, "")}`;
  const found = SIM_KINDS.find(({ kind }) => kind === name);
  if (found === undefined) throw new Error(`bug: no kind ${name} exists for the contract ${contract}`);
  return { group: found.group, resource: found.plural };
}

function sim(prefix: "bootstrap" | "control-plane" | "infrastructure", type: Provider["type"]): Provider {
  const label = `${prefix}-sim`;
  const kinds = SIM_KINDS.filter((kind) => providerOf(kind) === label);
  return {
    label,
    name: "sim",
    type,
    components: `${prefix}-components.yaml`,
    namespace: `capstan-${label}-system`,
    app: `capstan-${label}`,
    variables: "SIM",
    kinds,
    // Core does not meet the kinds of the cloud.
    forCore: kinds.filter(({ group }) => group !== SimServer.group),
    placeOf: ofSim,
  };
}

const INFRASTRUCTURE = sim("infrastructure", "InfrastructureProvider");

/** The simulated provider as a release has it, in the order in which clusterctl installs its parts. */
export const SIM_PROVIDERS: readonly Provider[] = [
  sim("bootstrap", "BootstrapProvider"),
  sim("control-plane", "ControlPlaneProvider"),
  {
    ...INFRASTRUCTURE,
    beside: {
      account: cloudAccount(INFRASTRUCTURE),
      deployment: (image) => cloudDeployment(INFRASTRUCTURE, image),
    },
    templates: clusterTemplates(),
  },
];
