import type { MachineStatus } from "../../../shared/api/machine/machine.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { awaitedData, awaitedProviderID } from "./awaited.ts";
import type { MachineStage } from "./stage.ts";
import type { MachineView } from "./view.ts";

/**
 * Returns the waits of a Machine until it serves its purpose, in the order in which they end: bootstrap data,
 * infrastructure, the workload cluster, its Node, what else counts for `Ready`; of a deleted one what its stage waits
 * for. `undefined` = nothing. `status` is the one about to be written.
 */
export function awaitedCompletion(view: MachineView, status: MachineStatus): string | undefined {
  const { machine, providers, bootstrap, stage } = view;
  if (stage !== undefined) return AWAITED_BY_STAGE[stage.step];
  const { bootstrapDataSecretCreated, infrastructureProvisioned } = status.initialization ?? {};
  if (bootstrapDataSecretCreated !== true && bootstrap.provided !== true && providers.bootstrap !== undefined)
    return awaitedData(machine, providers);
  if (infrastructureProvisioned !== true) return awaitedProviderID(machine, providers);
  return awaitedNode(view) ?? awaitedReady(view, status);
}

const AWAITED_BY_STAGE: { readonly [Step in MachineStage["step"]]: string } = {
  "pre-drain hooks": "Machine.metadata.annotations",
  drain: "Machine.status.conditions[Deleting]",
  "pre-terminate hooks": "Machine.metadata.annotations",
  infrastructure: "InfraMachine.metadata.uid",
  bootstrap: "BootstrapConfig.metadata.uid",
  node: "Node.metadata.uid",
  completed: "Machine.metadata.finalizers",
  unreadable: "ControlPlane.metadata.uid",
};

function awaitedNode({ machine, connection, nodeReport }: MachineView): string | undefined {
  if (connection?.status.state !== "connected") return "Connection.status.state";
  return nodeReport.node === undefined ? `Node.metadata.uid of ${machine.spec.providerID}` : undefined;
}

function awaitedReady({ nodeReport }: MachineView, { conditions }: MachineStatus): string | undefined {
  if (conditionOf(conditions, "Ready")?.status === "True") return undefined;
  return conditionOf(conditions, "NodeHealthy")?.status === "True"
    ? "Machine.status.conditions"
    : `Node.status.conditions of ${nodeReport.node?.metadata.name}`;
}
