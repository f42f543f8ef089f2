import { Node } from "../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import type { PatchOperation } from "../../shared/api/patch.ts";
import { valueAt } from "../../shared/api/path.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import { objectOf, sideBySide } from "./ready-pools.ts";
import { untilAll } from "./until.ts";

/** Label of a Machine that names its health check. */
const CHECK_LABEL = "bench.capstan.dev/check";
/** Of every health check, for a Node that says that it is not Ready. */
export const TIMEOUT_MS = 10_000;
/** Part of the Machines of each health check that fails in a round. */
const FAILING = 0.3;

/** Machines of one Cluster, dealt out to health checks of the same size. */
export interface Fleet {
  readonly cluster: string;
  readonly machines: readonly string[];
  readonly checks: readonly string[];
}

export function fleetOf(machines: number, checks: number): Fleet {
  return {
    cluster: "bench-0",
    machines: Array.from({ length: machines }, (_, at) => `machine-${at}`),
    checks: Array.from({ length: checks }, (_, at) => `check-${at}`),
  };
}

/** Labels of the Machine at this place. */
export function labelsOf({ checks }: Fleet, at: number): { readonly [key: string]: string } {
  return { [CHECK_LABEL]: checks[at % checks.length] ?? "" };
}

/** Machines whose Nodes fail in a round: others in each of three, since nothing takes a hand-over back. */
export function failingIn({ machines, checks }: Fleet, round: number): readonly string[] {
  const ofCheck = Math.floor((machines.length / checks.length) * FAILING);
  const placeOf = (at: number) => Math.floor(at / checks.length);
  return machines.filter((_, at) => Math.floor(placeOf(at) / ofCheck) === round);
}

export async function createChecks(client: KubeClient, { cluster, checks }: Fleet): Promise<void> {
  await sideBySide(checks, (name) =>
    client.create(
      MachineHealthCheck as Kind,
      {
        ...objectOf(MachineHealthCheck as Kind, name),
        spec: {
          clusterName: cluster,
          selector: { matchLabels: { [CHECK_LABEL]: name } },
          checks: {
            unhealthyNodeConditions: [{ type: "Ready", status: "False", timeoutSeconds: TIMEOUT_MS / 1_000 }],
          },
        },
      } as KubeObject,
    ),
  );
}

/** Resolves once every health check has said something about its new limit. */
export async function limitChecks(client: KubeClient, { checks }: Fleet, limit: string): Promise<void> {
  const value = { triggerIf: { unhealthyLessThanOrEqualTo: limit } };
  await sideBySide(checks, (name) =>
    client.jsonPatch(MachineHealthCheck as Kind, { namespace: "default", name }, [
      { op: "add", path: "/spec/remediation", value },
    ]),
  );
  const isSeen = (check: KubeObject) =>
    valueAt(check, "status.observedGeneration") === check.metadata.generation;
  await untilAll(client, MachineHealthCheck as Kind, checks.length, isSeen);
}

/** Resolves once the health checks together count so many healthy Machines. */
export async function untilCounted(client: KubeClient, fleet: Fleet, healthy: number): Promise<void> {
  const counts = new Map<string, number>();
  await untilAll(client, MachineHealthCheck as Kind, 1, (check) => {
    counts.set(check.metadata.name, Number(valueAt(check, "status.currentHealthy") ?? 0));
    const sum = [...counts.values()].reduce((a, b) => a + b, 0);
    return counts.size === fleet.checks.length && sum === healthy;
  });
}

/**
 * By Machine: the end of its timeout, in ms since 1970. All of them fail at one moment, of which the server hears as fast
 * as it can. Stamps are whole seconds.
 */
export function failNodes(
  client: KubeClient,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const stampMs = Math.floor(Date.now() / 1_000) * 1_000;
  const value = [ready("False", stampMs)];
  return eachAt(names, async (name) => {
    await patchNode(client, name, { op: "add", path: "/status/conditions", value });
    return stampMs + TIMEOUT_MS;
  });
}

/** By Machine: when its Node was said to be Ready again, in ms since 1970. */
export function healNodes(
  client: KubeClient,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  return eachAt(names, async (name, nowMs) => {
    await patchNode(client, name, { op: "add", path: "/status/conditions", value: [ready("True", nowMs)] });
    return nowMs;
  });
}

/** By Machine: when its Node was deleted, in ms since 1970. */
export async function deleteNodes(
  client: KubeClient,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { items } = await client.list(Node, {});
  const uids = new Map(items.map(({ metadata }) => [metadata.name, metadata.uid ?? ""]));
  return eachAt(names, async (name, nowMs) => {
    await client.delete(Node as Kind, { namespace: "", name }, { uid: uids.get(name) ?? "" });
    return nowMs;
  });
}

/** By Machine: when its Node was there again, as a kubelet registers it, in ms since 1970. */
export function createNodes(
  client: KubeClient,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  return eachAt(names, async (name, nowMs) => {
    await client.create(Node, readyNode(name, nowMs));
    return nowMs;
  });
}

/** One heartbeat of each of these Nodes, spread over so many ms: only the time is new. */
export async function beatNodes(
  client: KubeClient,
  names: readonly string[],
  spreadMs: number,
): Promise<void> {
  const startedAtMs = Date.now();
  await sideBySide(names, async (name, at) => {
    const waitMs = startedAtMs + (spreadMs * at) / names.length - Date.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, waitMs)));
    const path = "/status/conditions/0/lastHeartbeatTime";
    await patchNode(client, name, { op: "add", path, value: timeOf(Date.now()) });
  });
}

/** Node that has been Ready since then. */
export function readyNode(name: string, sinceMs: number): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    spec: { providerID: `bench://${name}` },
    status: { conditions: [ready("True", sinceMs)] },
  };
}

function ready(status: "True" | "False", atMs: number) {
  const time = timeOf(atMs);
  return {
    type: "Ready",
    status,
    reason: status === "True" ? "KubeletReady" : "KubeletNotReady",
    message: "",
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, "");
}

async function patchNode(client: KubeClient, name: string, operation: PatchOperation): Promise<void> {
  await client.jsonPatch(Node as Kind, { namespace: "", name }, [operation], "status");
}

async function eachAt(
  names: readonly string[],
  change: (name: string, nowMs: number) => Promise<number>,
): Promise<ReadonlyMap<string, number>> {
  const moments = new Map<string, number>();
  await sideBySide(names, async (name) => moments.set(name, await change(name, Date.now())));
  return moments;
}
