import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Node } from "../../../shared/api/core.ts";
import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import { objectKeyOf } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { KubeError, WaitingError } from "../../../shared/function/errors.ts";
import { clusterKeyOf, isDeleting, isPaused } from "../../../shared/function/guards.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { readRenamed } from "../../../shared/rules/machines/node-of-machine.ts";
import { parseSelector } from "../../../shared/rules/metadata/label-selector.ts";
import { readNodesLive } from "../../../shared/rules/workload/read-nodes-live.ts";
import { unseenNodes } from "./judge.ts";
import type { Occupant } from "./places.ts";
import { evidenceOf, nodeNameOf, nodesByName, type Scene, withRenamed, workloadOf } from "./reads.ts";
import { type RequestKind, type Requests, readRequestsLive } from "./request-reads.ts";
import { targetsOf } from "./targets.ts";
import { verdictOf } from "./verdict.ts";

/** A refused or unanswered read is a value: it must not end the timers of the other targets. */
export type Answered<T> = { readonly answer: T } | { readonly unreadable: string };

/** Returns what servers answer, or the words of the one that does not. */
export async function answered<T>(ask: () => Promise<T>): Promise<Answered<T>> {
  try {
    return { answer: await ask() };
  } catch (error) {
    if (error instanceof KubeError || error instanceof WaitingError) return { unreadable: error.message };
    throw error;
  }
}

/** Everything that a hand-over is decided from, as the servers have it. */
export interface LiveFacts {
  readonly cluster: Cluster;
  readonly occupants: readonly Occupant[];
  readonly requests: Requests;
}

/** Which Machines are read: all targets in one list, or, where nothing is reserved, only these snapshots with their Nodes. */
export interface LiveQuestion {
  readonly requestKind: RequestKind;
  readonly among?: readonly Machine[];
  readonly now: Date;
}

/**
 * Reads what a hand-over needs, in this order: health check and Cluster, Machines, requests, Nodes. `changed`: the
 * health check has another spec than its snapshot, or may hand nothing over; its change wakes it.
 */
export async function readForHandOver(
  read: Reader,
  check: MachineHealthCheck,
  question: LiveQuestion,
): Promise<Answered<LiveFacts | "changed">> {
  return answered(async () => {
    const [live, cluster] = await Promise.all([
      read.live.get(MachineHealthCheck, objectKeyOf(check)),
      read.live.get(Cluster, clusterKeyOf(check)),
    ]);
    if (live === undefined || cluster === undefined || !isSame(live, check)) return "changed";
    if (isPaused(cluster, live) || isDeleting(live)) return "changed";
    const machines = question.among ?? (await readTargetsLive(read, check));
    const requests = await readRequestsLive(read, check, question.requestKind);
    const nodes = await readTheirNodes(read, check, cluster, machines);
    const occupants = machines.map((machine): Occupant => {
      const node = evidenceOf(cluster, machine, nodes, () => true);
      return {
        machine,
        verdict: verdictOf({ check, cluster, machine, node }, question.now),
        hasRequest: requests.has(machine.metadata.name),
      };
    });
    return { cluster, occupants, requests };
  });
}

function isSame(live: MachineHealthCheck, { metadata }: MachineHealthCheck): boolean {
  return live.metadata.uid === metadata.uid && live.metadata.generation === metadata.generation;
}

/** A server takes no address of any length. */
const MAX_SELECTOR_CHARACTERS = 4_096;

/** One list, so that it shows the Machines as they were at one instant. */
async function readTargetsLive(read: Reader, check: MachineHealthCheck): Promise<readonly Machine[]> {
  const selector = parseSelector(check.spec.selector);
  const text = "text" in selector ? selector.text : "";
  const ofCluster = `${CLUSTER_NAME_LABEL}=${check.spec.clusterName}`;
  const labelSelector = text.length > MAX_SELECTOR_CHARACTERS ? ofCluster : `${ofCluster},${text}`;
  const machines = await read.live.list(Machine, { namespace: check.metadata.namespace, labelSelector });
  const targets = targetsOf(check, machines);
  return "machines" in targets ? targets.machines : [];
}

/** The number of Nodes above which a list of all Nodes is fewer requests. */
const ONE_BY_ONE = 20;

async function readTheirNodes(
  read: Reader,
  check: MachineHealthCheck,
  cluster: Cluster,
  machines: readonly Machine[],
): Promise<ReadonlyMap<string, Node>> {
  const names = new Set(machines.flatMap((machine) => nodeNameOf(cluster, machine) ?? []));
  if (names.size === 0) return new Map();
  const nodes = nodesByName(await readNodesOf(read, check, [...names]));
  return withRenamed(nodes, machines, async (machine) => {
    const renamed = await readRenamed(read, machine);
    const [node] = renamed === undefined ? [] : await readNodesOf(read, check, [renamed.metadata.name]);
    return node?.spec?.providerID === machine.spec.providerID ? node : undefined;
  });
}

async function readNodesOf(
  read: Reader,
  check: MachineHealthCheck,
  names: readonly string[],
): Promise<readonly Node[]> {
  return readNodesLive(read.live, names, workloadOf(check), ONE_BY_ONE);
}

/** The Nodes that the complete view lacks and the workload server does not have, by name. */
export async function readAbsent(read: Reader, scene: Scene): Promise<Answered<ReadonlySet<string>>> {
  const names = unseenNodes(scene);
  if (names.length === 0) return { answer: new Set() };
  return answered(async () => {
    const found = nodesByName(await readNodesOf(read, scene.check, names));
    return new Set(names.filter((name) => !found.has(name)));
  });
}
