import { SimBootstrapConfig } from "../../infra/playground/api/sim-bootstrap.ts";
import { SimCluster } from "../../infra/playground/api/sim-cluster.ts";
import { SimControlPlane } from "../../infra/playground/api/sim-controlplane.ts";
import { SimMachine } from "../../infra/playground/api/sim-machine.ts";
import { SimMachinePool } from "../../infra/playground/api/sim-machinepool.ts";
import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Secret } from "../../shared/api/core.ts";
import { CLUSTER_NAME_LABEL } from "../../shared/api/indexes.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { MachineSet } from "../../shared/api/machineset.ts";
import type { Seedling } from "./planted.ts";

const SIM_GROUPS = {
  infrastructure: "infrastructure.sim.capstan.dev",
  controlPlane: "controlplane.sim.capstan.dev",
  bootstrap: "bootstrap.sim.capstan.dev",
};
const CHANGED_AT = "2026-01-01T00:00:00Z";

/** A value that must be in no output. */
export const SECRET_VALUE = "c2VjcmV0LXZhbHVlLW9mLWEtbW92ZQ==";

/** The kinds as the registry knows them, without their object type. */
const untyped = <T>(kind: T): Kind => kind as unknown as Kind;

/** A Cluster as its controllers leave it: everything provisioned, one pool, one MachineSet with one Machine. */
export function restingCluster(name: string): readonly Seedling[] {
  const labels = { labels: { [CLUSTER_NAME_LABEL]: name } };
  const cluster = `Cluster/${name}`;
  const reference = (apiGroup: string, kind: string, of: string) => ({ apiGroup, kind, name: of });
  const template = (infrastructure: string, of: string) => ({
    metadata: { labels: { [CLUSTER_NAME_LABEL]: name, set: of } },
    spec: {
      clusterName: name,
      bootstrap: { configRef: reference(SIM_GROUPS.bootstrap, "SimBootstrapConfig", of) },
      infrastructureRef: reference(SIM_GROUPS.infrastructure, infrastructure, of),
    },
  });
  const secret = (of: string, owners: readonly string[]): Seedling => ({
    kind: untyped(Secret),
    name: of,
    owners,
    metadata: labels,
    content: { type: "cluster.x-k8s.io/secret", data: { value: SECRET_VALUE } },
  });
  const [pool, set, machine] = [`${name}-pool`, `${name}-set`, `${name}-set-1`];
  return [
    {
      kind: untyped(Cluster),
      name,
      content: {
        spec: {
          infrastructureRef: reference(SIM_GROUPS.infrastructure, "SimCluster", name),
          controlPlaneRef: reference(SIM_GROUPS.controlPlane, "SimControlPlane", name),
        },
      },
      status: {
        initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
        conditions: [
          {
            type: "ControlPlaneInitialized",
            status: "True",
            reason: "Initialized",
            message: "",
            lastTransitionTime: CHANGED_AT,
          },
        ],
      },
    },
    { kind: untyped(SimCluster), name, owners: [cluster], metadata: labels, content: { spec: {} } },
    {
      kind: untyped(SimControlPlane),
      name,
      owners: [cluster],
      metadata: labels,
      content: { spec: { version: "v1.34.2" } },
    },
    secret(`${name}-kubeconfig`, [`SimControlPlane/${name}`]),
    secret(`${name}-ca`, []),
    {
      kind: untyped(MachinePool),
      name: pool,
      owners: [cluster],
      metadata: labels,
      content: { spec: { clusterName: name, replicas: 1, template: template("SimMachinePool", pool) } },
    },
    {
      kind: untyped(SimBootstrapConfig),
      name: pool,
      owners: [`MachinePool/${pool}`],
      metadata: labels,
      content: { spec: {} },
    },
    secret(`${pool}-data`, [`SimBootstrapConfig/${pool}`]),
    {
      kind: untyped(SimMachinePool),
      name: pool,
      owners: [`MachinePool/${pool}`],
      metadata: labels,
      content: { spec: {} },
    },
    {
      kind: untyped(MachineSet),
      name: set,
      owners: [cluster],
      metadata: labels,
      content: {
        spec: {
          clusterName: name,
          replicas: 1,
          selector: { matchLabels: { set } },
          template: template("SimMachineTemplate", set),
        },
      },
    },
    {
      kind: untyped(Machine),
      name: machine,
      owners: [`MachineSet/${set}`],
      metadata: labels,
      content: { spec: { ...template("SimMachine", machine).spec, providerID: `sim://${machine}` } },
      status: { nodeRef: { name: machine } },
    },
    {
      kind: untyped(SimMachine),
      name: machine,
      owners: [`Machine/${machine}`],
      metadata: labels,
      content: { spec: {} },
    },
  ];
}
