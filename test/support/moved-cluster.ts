import { Buffer } from "node:buffer";
import { setTimeout } from "node:timers/promises";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer, type Server } from "../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import type { Condition } from "../../shared/api/conditions.ts";
import { Node } from "../../shared/api/core.ts";
import { type KubeObject, titleOf } from "../../shared/api/kinds.ts";
import type { Kubectl } from "./processes/kubectl.ts";
import type { Version } from "./versions.ts";

/** Opens the workload API server of a Cluster with its own kubeconfig. */
export async function openWorkload(kubectl: Kubectl, cluster: string): Promise<Server> {
  const encoded = await kubectl(`get secret ${cluster}-kubeconfig -o jsonpath={.data.value}`);
  return createServer(parseKubeconfig(Buffer.from(encoded, "base64").toString()), { clock: systemClock });
}

/** `name uid providerID` of each Node. */
export async function nodesOf(workload: Server): Promise<readonly string[]> {
  const { items } = await workload.as("test").list(Node, {});
  return items.map(({ metadata, spec }) => `${metadata.name} ${metadata.uid} ${spec?.providerID}`).toSorted();
}

/** Fields that each management cluster fills by itself. */
const ITS_OWN: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "observedGeneration",
  "creationTimestamp",
  "lastTransitionTime",
  "lastUpdated",
  "managedFields",
  "policyUID",
]);

/** By `Kind namespace/name`: everything about these objects that a move must not change, lists as sets. */
export function carriedBy(objects: readonly KubeObject[]): { readonly [title: string]: unknown } {
  return Object.fromEntries(
    objects
      .map((object) => [titleOf(object.kind, object.metadata), carried(object)] as const)
      .toSorted(byText),
  );
}

function carried(value: unknown, path: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((each) => carried(each, path)).toSorted(byText);
  if (typeof value !== "object" || value === null) return value;
  const isNode = path.at(-1) === "nodeRefs" || path.at(-1) === "nodeRef";
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, field]) => field !== undefined && (isNode || !ITS_OWN.has(name)))
      .toSorted(byText)
      .map(([name, field]) => [name, carried(field, [...path, name])]),
  );
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

/** Conditions that are False while nothing is under way. */
const UNDER_WAY: ReadonlySet<string> = new Set([
  "Deleting",
  "Paused",
  "Remediating",
  "RollingOut",
  "ScalingDown",
  "ScalingUp",
  "Updating",
]);

/** `Kind namespace/name: condition` for each condition that changes until nothing is under way. */
export function unfinished(objects: readonly KubeObject[]): readonly string[] {
  return objects.flatMap((object) =>
    conditionsOf(object)
      .filter(({ type, status }) => status !== (UNDER_WAY.has(type) ? "False" : "True"))
      .map(({ type, status }) => `${titleOf(object.kind, object.metadata)}: ${type} ${status}`),
  );
}

/** `Machine namespace/name: condition` of each Machine that a health check found unhealthy, or gave to its owner. */
export function remediated(versions: readonly Version[]): readonly string[] {
  const found = versions.flatMap(({ object }) =>
    conditionsOf(object)
      .filter(
        ({ type, status }) =>
          type === "OwnerRemediated" || (type === "HealthCheckSucceeded" && status === "False"),
      )
      .map(({ type }) => `${titleOf(object.kind, object.metadata)}: ${type}`),
  );
  return [...new Set(found)];
}

function conditionsOf(object: KubeObject): readonly Condition[] {
  return (object as { status?: { conditions?: readonly Condition[] } }).status?.conditions ?? [];
}

const BETWEEN_ASKS_MS = 50;

/** Asks a server again and again; disposing ends that at once, `gaps` are the times without an answer. */
export function watchAnswers(server: Server): AsyncDisposable & { readonly gaps: readonly string[] } {
  const gaps: string[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  const ask = async (): Promise<void> => {
    while (!signal.aborted) {
      await server
        .as("test")
        .pages(Node, { signal })
        .next()
        .catch((error: unknown) => signal.aborted || gaps.push(String(error)));
      await setTimeout(BETWEEN_ASKS_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const asking = ask();
  return {
    gaps,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await asking;
    },
  };
}
