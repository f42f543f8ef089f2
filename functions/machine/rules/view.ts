import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { StepContext } from "../../../shared/function/define-function.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { readNodes } from "../../../shared/rules/machines/node-of-machine.ts";
import type { BootstrapData } from "../../../shared/rules/providers/bootstrap-data.ts";
import {
  type MachineProviders,
  seeLostInfrastructure,
} from "../../../shared/rules/providers/machine-providers.ts";
import { bootstrapReport, isDataCreated } from "./bootstrap.ts";
import { type CertificatesReport, certificatesExpiry } from "./certificates.ts";
import { isWordOfDrain } from "./drain-turn.ts";
import {
  type InfrastructureReport,
  infrastructureReport,
  isProvisioned,
  knownProviderID,
} from "./infrastructure.ts";
import { type NodeFacts, type NodeReport, nodeReport } from "./node-report.ts";
import { readHandling } from "./read-handling.ts";
import { readNodeOf, readRollout } from "./reads.ts";
import { type MachineStage, machineStage } from "./stage.ts";
import type { Rollout } from "./up-to-date.ts";
import { machineWritesDue } from "./writes-due.ts";

/** Reads for the status of a Machine. */
export interface MachineFacts extends NodeFacts {
  readonly providers: MachineProviders;
  /** The result of `readRollout`. */
  readonly rollout?: Rollout | undefined;
  /** Where the deletion stands; `undefined` while the Machine lives. */
  readonly stage?: MachineStage | undefined;
}

/** The facts and what they mean: everything that the status of a Machine is computed from. */
export interface MachineView extends MachineFacts {
  readonly bootstrap: BootstrapData;
  readonly infrastructure: InfrastructureReport;
  /** The latch `bootstrapDataSecretCreated` as it is from now on. */
  readonly dataCreated: boolean;
  /** The latch `infrastructureProvisioned` as it is from now on. */
  readonly provisioned: boolean;
  readonly nodeReport: NodeReport;
  readonly certificates: CertificatesReport;
  /** The drain has the turn and has said what it knows: its condition `Deleting` stays. */
  readonly drainSpeaks: boolean;
  /** No sibling has anything left to write: `observedGeneration` may move. */
  readonly settled: boolean;
}

export function machineView(facts: MachineFacts): MachineView {
  const { machine, cluster, providers, stage } = facts;
  const bootstrap = bootstrapReport(machine, providers.bootstrap);
  const infrastructure = infrastructureReport(machine, providers.infrastructure);
  return {
    ...facts,
    bootstrap,
    infrastructure,
    dataCreated: isDataCreated(machine, providers.bootstrap),
    provisioned: isProvisioned(machine, infrastructure),
    nodeReport: nodeReport(facts),
    certificates: certificatesExpiry(machine, providers),
    drainSpeaks: stage?.step === "drain" && isWordOfDrain(machine),
    settled: !machineWritesDue(machine, cluster, providers),
  };
}

/** Reads the rest of the view of a Machine that is not paused; `snapshots` are those of `readProviders`. */
export async function readView(
  { read, now }: StepContext,
  machine: Machine,
  cluster: Cluster,
  snapshots: MachineProviders,
): Promise<MachineView> {
  const providers = mayLose(machine)
    ? await seeLostInfrastructure(read.live, machine, machine.spec, snapshots)
    : snapshots;
  const of = await readNodes(read, machine, knownProviderID(machine, providers.infrastructure));
  const facts = { machine, cluster, providers, ...of, now };
  const { connection } = of;
  const rollout = await readRollout(read, machine);
  if (!isDeleting(machine)) return machineView({ ...facts, rollout });
  const handling = await readHandling(read, machine, cluster);
  const node = handling.state === "allowed" ? await readNodeOf(read, machine, connection) : undefined;
  const stage = machineStage(machine, { ...providers, cluster, handling, node, connection });
  return machineView({ ...facts, rollout, stage });
}

/** Returns false once the failure is written: nothing more depends on the loss. */
function mayLose(machine: Machine): boolean {
  return (
    !isDeleting(machine) && machine.status?.deprecated?.v1beta1?.failureReason !== "InvalidConfiguration"
  );
}
