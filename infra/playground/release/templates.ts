import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { apiVersionOf, type Kind } from "../../../shared/api/kinds.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { type Manifest, variable } from "../../deploy/deployment.ts";
import { SimBootstrapConfig, SimBootstrapConfigTemplate } from "../api/sim-bootstrap.ts";
import { SimCluster } from "../api/sim-cluster.ts";
import { SimControlPlane } from "../api/sim-controlplane.ts";
import { SimMachineTemplate } from "../api/sim-machine.ts";
import { SimMachinePool } from "../api/sim-machinepool.ts";

const NAME = variable("CLUSTER_NAME");
const VERSION = variable("KUBERNETES_VERSION");
const BOOT_DELAY = variable("SIM_BOOT_DELAY_SECONDS", 1);
const READY_DELAY = variable("SIM_NODE_READY_DELAY_SECONDS", 1);
const WORKERS = `${NAME}-workers`;

/**
 * Returns the templates of clusters by their file name.
 * The default one has a control plane without Machines and a pool; `machines` a control plane of Machines and a pool
 * with a Machine for each instance; `machinedeployment` a control plane of Machines and a
 * MachineDeployment.
 */
export function clusterTemplates(): ReadonlyMap<string, readonly Manifest[]> {
  return new Map([
    ["cluster-template.yaml", [...clusterOf(false), ...pool(false)]],
    ["cluster-template-machines.yaml", [...clusterOf(true), ...machineTemplates(), ...pool(true)]],
    [
      "cluster-template-machinedeployment.yaml",
      [...clusterOf(true), ...machineTemplates(), machineDeployment()],
    ],
  ]);
}

function clusterOf(ofMachines: boolean): readonly Manifest[] {
  const machineTemplate = {
    spec: {
      bootstrap: { configRef: referenceTo(SimBootstrapConfigTemplate, NAME) },
      infrastructureRef: referenceTo(SimMachineTemplate, NAME),
    },
  };
  return [
    object(Cluster, NAME, {
      clusterNetwork: { pods: { cidrBlocks: [variable("SIM_POD_CIDR", "192.168.0.0/16")] } },
      controlPlaneRef: referenceTo(SimControlPlane, NAME),
      infrastructureRef: referenceTo(SimCluster, NAME),
    }),
    object(SimCluster, NAME, {}),
    object(SimControlPlane, NAME, {
      replicas: variable("CONTROL_PLANE_MACHINE_COUNT"),
      version: VERSION,
      ...(ofMachines ? { machineTemplate } : {}),
    }),
  ];
}

function machineTemplates(): readonly Manifest[] {
  const spec = { bootDelaySeconds: BOOT_DELAY, nodeReadyDelaySeconds: READY_DELAY };
  return [
    object(SimMachineTemplate, NAME, { template: { spec } }),
    object(SimBootstrapConfigTemplate, NAME, { template: { spec: {} } }),
  ];
}

function pool(machines: boolean): readonly Manifest[] {
  return [
    object(MachinePool, WORKERS, {
      clusterName: NAME,
      replicas: variable("WORKER_MACHINE_COUNT"),
      template: { spec: instanceOf(SimBootstrapConfig, SimMachinePool, WORKERS) },
    }),
    object(SimMachinePool, WORKERS, {
      bootDelaySeconds: BOOT_DELAY,
      nodeReadyDelaySeconds: READY_DELAY,
      ...(machines ? { machines } : {}),
    }),
    object(SimBootstrapConfig, WORKERS, {}),
  ];
}

function machineDeployment(): Manifest {
  const labels = { "cluster.x-k8s.io/deployment-name": WORKERS };
  return object(MachineDeployment, WORKERS, {
    clusterName: NAME,
    replicas: variable("WORKER_MACHINE_COUNT"),
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: instanceOf(SimBootstrapConfigTemplate, SimMachineTemplate, NAME),
    },
  });
}

/** Returns the spec of a Machine by the kinds that it is made from. */
function instanceOf(bootstrap: Named, infrastructure: Named, name: string): object {
  return {
    clusterName: NAME,
    version: VERSION,
    bootstrap: { configRef: referenceTo(bootstrap, name) },
    infrastructureRef: referenceTo(infrastructure, name),
  };
}

type Named = Pick<Kind, "group" | "version" | "kind">;

function referenceTo({ group, kind }: Named, name: string): object {
  return { apiGroup: group, kind, name };
}

function object(kind: Named, name: string, spec: object): Manifest {
  const metadata = { name, namespace: variable("NAMESPACE") };
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec };
}
