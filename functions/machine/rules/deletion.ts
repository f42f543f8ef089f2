import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { objectKeyOf } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { readCluster } from "../../../shared/function/guards.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { awaitedDefinition } from "../../../shared/rules/providers/awaited-definition.ts";
import { isBehindDrain } from "./drain-turn.ts";
import { leftOf } from "./left.ts";
import { type HandlingFacts, nodeHandling } from "./node-handling.ts";
import { bootstrapOf, infrastructureOf } from "./providers.ts";
import { readHandlingFacts } from "./read-handling.ts";
import { readProviders } from "./reads.ts";
import { type MachineStage, machineStage, type StageFacts } from "./stage.ts";

/** The deed of a stage. Neither to wait nor to remove: only the Node and the finalizer are left. */
interface Deed {
  readonly step: MachineStage["step"];
  /** Nothing is done before this field changes. */
  readonly awaits?: string | undefined;
  readonly remove?: { readonly kind: Kind; readonly object: KubeObject; readonly awaits: string } | undefined;
}

/** A deleted Machine as snapshots show it, or as the API server does. */
export interface DeletionView {
  readonly machine: Machine;
  readonly facts: StageFacts;
  readonly handlingFacts: HandlingFacts;
  readonly deed: Deed;
}

/** The deletion as snapshots show it: presence is enough to wait, absence proves nothing. */
export async function readDeletion(read: Reader, machine: Machine): Promise<DeletionView> {
  const cluster = await readCluster(read, machine);
  const [handlingFacts, providers] = await Promise.all([
    readHandlingFacts(read, machine, cluster),
    readProviders(read, machine),
  ]);
  return viewOf(machine, handlingFacts, providers);
}

/**
 * The same with everything live that must come before the next deed: the Machine and its infrastructure machine before
 * that is deleted; both provider objects before the config, the Node or the finalizer go. Then the Machine is read only
 * where no stage shows that its hooks were passed: what removes its finalizer tests its version.
 * `undefined`: this very Machine is gone.
 */
export async function readDeletionLive(read: Reader, shown: DeletionView): Promise<DeletionView | undefined> {
  const { machine, facts, handlingFacts } = shown;
  const isFirst = shown.deed.step === "infrastructure";
  const isMachineRead = isFirst || !isBehindDrain(machine);
  const [live, providers] = await Promise.all([
    isMachineRead ? read.live.get(Machine, objectKeyOf(machine)) : machine,
    isFirst ? readInfrastructure(read, machine, facts) : readProviders(read.live, machine),
  ]);
  if (live === undefined || live.metadata.uid !== machine.metadata.uid) return undefined;
  const view = viewOf(live, handlingFacts, providers);
  const { step } = view.deed;
  // Snapshots are behind. They will show it, and bring the key back.
  if (live.status?.nodeRef !== undefined && machine.status?.nodeRef === undefined) {
    return { ...view, deed: { step, awaits: "Machine.status.nodeRef" } };
  }
  const isOther = step === "infrastructure" ? !isMachineRead : isFirst;
  return isOther && view.deed.awaits === undefined
    ? { ...view, deed: { step, awaits: "InfraMachine.metadata.uid" } }
    : view;
}

/**
 * The deletion as it is once the object of the deed has ended, live; `undefined` while a finalizer keeps that object:
 * then its end takes time, and brings the key back.
 */
export async function readDeletionBehind(
  read: Reader,
  view: DeletionView,
): Promise<DeletionView | undefined> {
  const { machine, facts, handlingFacts, deed } = view;
  if ((deed.remove?.object.metadata.finalizers ?? []).length > 0) return undefined;
  const isFirst = deed.step === "infrastructure";
  const bootstrap = isFirst ? await readBootstrap(read, machine) : ended(facts.bootstrap);
  const infrastructure = isFirst ? ended(facts.infrastructure) : facts.infrastructure;
  return viewOf(machine, handlingFacts, { bootstrap, infrastructure });
}

function ended<T extends Referenced | undefined>(found: T): T | Referenced {
  if (found?.state !== "found") return found;
  const { contract, kind } = found;
  return { state: "missing", contract, kind };
}

async function readBootstrap(read: Reader, { metadata, spec }: Machine) {
  const { configRef } = spec.bootstrap;
  return configRef && read.live.referenced(configRef, metadata.namespace ?? "");
}

async function readInfrastructure(read: Reader, { metadata, spec }: Machine, { bootstrap }: StageFacts) {
  const infrastructure = await read.live.referenced(spec.infrastructureRef, metadata.namespace ?? "");
  return { bootstrap, infrastructure };
}

function viewOf(
  machine: Machine,
  handlingFacts: HandlingFacts,
  providers: Pick<StageFacts, "bootstrap" | "infrastructure">,
): DeletionView {
  const facts: StageFacts = {
    ...providers,
    cluster: handlingFacts.cluster,
    handling: nodeHandling(machine, handlingFacts),
    node: undefined,
    connection: undefined,
  };
  return { machine, facts, handlingFacts, deed: deedOf(machine, facts, handlingFacts.controlPlane) };
}

function deedOf(machine: Machine, facts: StageFacts, controlPlane: Referenced | undefined): Deed {
  const { step } = machineStage(machine, facts);
  switch (step) {
    case "pre-drain hooks":
    case "pre-terminate hooks":
      return { step, awaits: "Machine.metadata.annotations" };
    case "drain":
      return { step, awaits: "Machine.status.conditions" };
    case "unreadable":
      return { step, awaits: unreadableDefinition(machine, facts, controlPlane) };
    case "infrastructure":
    case "bootstrap":
      return { step, ...removal(machine, facts, step) };
    case "node":
    case "completed":
      return { step };
    default:
      return step satisfies never;
  }
}

const CONTRACTS = { infrastructure: "InfraMachine", bootstrap: "BootstrapConfig" } as const;

function removal(machine: Machine, facts: StageFacts, step: keyof typeof CONTRACTS): Omit<Deed, "step"> {
  const found = facts[step];
  const awaits = `${CONTRACTS[step]}.metadata.uid`;
  return found?.state === "found" && leftOf(machine, facts.cluster, found) === "present"
    ? { remove: { kind: found.kind, object: found.object, awaits } }
    : { awaits };
}

/** The definition that has to claim a contract before anything proceeds. */
function unreadableDefinition(
  machine: Machine,
  facts: StageFacts,
  controlPlane: Referenced | undefined,
): string {
  const { cluster } = facts;
  const read = [
    { reference: cluster?.spec.controlPlaneRef, found: controlPlane },
    infrastructureOf(machine, facts),
    bootstrapOf(machine, facts),
  ];
  for (const provider of read) {
    const { reference, found } = provider ?? {};
    if (reference !== undefined && found?.state === "unresolved" && found.crdExists)
      return awaitedDefinition(found, reference);
  }
  return "CustomResourceDefinition.metadata.labels";
}
