import { type ClusterName, MANAGEMENT, type ObjectKey } from "../../../../shared/api/kinds.ts";
import type { Attributes } from "./trace-ids.ts";

/** Kinds whose names OpenTelemetry knows: its name of a namespace is that of Pods, and taken for all objects here. */
const NAMED: { readonly [kind: string]: string } = { Node: "k8s.node.name", Pod: "k8s.pod.name" };

/** Returns where an object is, by the names of OpenTelemetry's semantic conventions. */
export function placeAttributes(
  kind: string,
  key: ObjectKey | undefined,
  cluster: ClusterName = MANAGEMENT,
): Attributes {
  const named = NAMED[kind];
  return {
    "k8s.cluster.name": cluster === MANAGEMENT ? undefined : cluster,
    "k8s.namespace.name": key?.namespace || undefined,
    ...(named !== undefined && { [named]: key?.name }),
  };
}

/** Returns what a span does with the queue, by the names of OpenTelemetry's semantic conventions; each function has its queue. */
export function messagingAttributes(type: "send" | "process", functionName?: string): Attributes {
  return {
    "messaging.system": "capstan",
    "messaging.operation.type": type,
    "messaging.operation.name": type === "send" ? "enqueue" : "run",
    "messaging.destination.name": functionName,
  };
}

/** A phase is one word. */
const MAX_CHARS = 32;

/** Returns `status.phase` of an object, for readers of a trace. */
export function phaseOf(object: object | undefined): string | undefined {
  const { phase } = (object as { readonly status?: { readonly phase?: unknown } } | undefined)?.status ?? {};
  return typeof phase === "string" ? phase.slice(0, MAX_CHARS) : undefined;
}
