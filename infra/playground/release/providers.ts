import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { ContractKind } from "../../../shared/contract/contract-kind.ts";
import { providerOf } from "../../../shared/function/providers.ts";
import { deploymentOf, HEALTH_PORT, type Manifest, replicasOf, variable } from "../../deploy/deployment.ts";
import type { Provider } from "../../deploy/providers.ts";
import { clusterRole, clusterRoleBinding, serviceAccount } from "../../deploy/rbac.ts";
import type { Place, PolicyRule } from "../../deploy/rights.ts";
import { SIM_KINDS } from "../api/kinds.ts";
import { SimInstance, SimServer } from "../api/sim-cloud.ts";
import { clusterTemplates } from "./templates.ts";

/** Where the cloud stands: beside the manager of its provider. */
interface Home {
  readonly app: string;
  readonly namespace: string;
}

/** Returns what the simulated cloud may do: it follows its own kinds and reads the authorities of Clusters. */
function cloudAccount({ app, namespace }: Home): readonly Manifest[] {
  const name = `${app}-cloud`;
  const plurals = [SimInstance, SimServer].map(({ plural }) => plural);
  const rules: readonly PolicyRule[] = [
    { apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
    { apiGroups: [Cluster.group], resources: [Cluster.plural], verbs: ["get", "list", "watch"] },
    { apiGroups: [SimServer.group], resources: plurals, verbs: ["list", "patch", "watch"] },
    {
      apiGroups: [SimServer.group],
      resources: plurals.map((plural) => `${plural}/status`),
      verbs: ["patch"],
    },
  ];
  return [
    serviceAccount(name, namespace),
    clusterRole(`${namespace}-cloud`, rules),
    clusterRoleBinding(`${namespace}-cloud`, name, namespace),
  ];
}

/**
 * Returns the Deployment of the simulated cloud. With `SIM_CLOUD_REPLICAS=0` it runs elsewhere, for several management
 * clusters. One process holds the workload servers, so the old one ends before a new one starts.
 */
function cloudDeployment({ app, namespace }: Home, image: string): Manifest {
  return deploymentOf({
    app: `${app}-cloud`,
    namespace,
    container: "cloud",
    image,
    replicas: replicasOf("SIM_CLOUD_REPLICAS", 1),
    args: [
      "cloud",
      "--cloud-address=$(POD_IP)",
      "--data=/tmp/cloud",
      `--health-address=:${HEALTH_PORT}`,
      `--log-level=${variable("SIM_LOG_LEVEL", "info")}`,
    ],
    env: [{ name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }],
    strategy: { type: "Recreate" },
  });
}

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
