import { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import { type Kind, type KubeObject, objectKeyOf, refTo } from "../../../../../shared/api/kinds.ts";
import type { PatchOperation } from "../../../../../shared/api/patch.ts";
import { SECOND } from "../../../../../shared/function/backoff.ts";
import type { Decision, GuardedPatch, StepContext } from "../../../../../shared/function/define-function.ts";
import { pausedBy } from "../../../../../shared/function/guards.ts";
import { done, type Result, requeueAfter, soonest, waitFor } from "../../../../../shared/function/result.ts";
import { addFinalizerPatch } from "../../../../../shared/rules/metadata/finalizers.ts";
import {
  controllerReference,
  ownerReference,
  ownerReferencePatch,
} from "../../../../../shared/rules/metadata/owner-references.ts";
import { readOwner } from "../../../../../shared/rules/metadata/read-owner.ts";
import { SimBootstrapConfigTemplate } from "../../../api/sim-bootstrap.ts";
import { SimServer } from "../../../api/sim-cloud.ts";
import { SimMachineTemplate } from "../../../api/sim-machine.ts";
import { missingTemplates, readTemplates } from "./control-plane-reads.ts";
import {
  type AnyControlPlane,
  CONTROL_PLANE_FINALIZER,
  faultsOf,
  kindOfControlPlane,
  lacksInfrastructure,
  machineTemplateOf,
  wantedVersion,
} from "./control-plane-view.ts";
import { newServer } from "./server.ts";

/** The fields of a SimServer that a control plane decides. */
export const SERVER_FIELDS = ["spec.onMachines", "spec.unreachable", "spec.corruptKubeconfig"] as const;

/**
 * Makes a control plane safe to work on: its finalizer and the `v` of its version in one patch. Then the server of its
 * Cluster learns whether it waits for Machines, and which faults are switched on; with `endpointMode: provider` it is
 * ordered here and its address is published. The templates get the Cluster as an owner, so that they move with it.
 */
export async function guardControlPlane(
  object: AnyControlPlane,
  { read, now }: StepContext,
): Promise<Decision<KubeObject, never>> {
  if (object.metadata.deletionTimestamp !== undefined) return { result: done };
  const cluster = await readOwner(Cluster, object, read);
  if (cluster === undefined) return { result: waitFor(`${object.kind}.metadata.ownerReferences`) };
  const pause = pausedBy(cluster, object);
  if (pause !== undefined) return { result: waitFor(pause) };
  const own = [...addFinalizerPatch(object, CONTROL_PLANE_FINALIZER), ...versionPatch(object)];
  if (own.length > 0) return patched(object, own);

  const server = await read.get(SimServer, objectKeyOf(cluster));
  const templates = await templateWrites(object, cluster, read);
  const onServer = server === undefined ? [] : serverPatches(object, server, now);
  const patch = [...templates.patch, ...onServer];
  if (object.spec.endpointMode !== "provider") return { patch, result: templates.wait };
  if (server === undefined) return orderServer(object, cluster, { patch, now });
  const endpoint = endpointPatch(object, server);
  return { patch: [...patch, ...endpoint.patch], result: soonest(endpoint.result, templates.wait) };
}

function versionPatch(object: AnyControlPlane): readonly PatchOperation[] {
  const version = wantedVersion(object);
  if (version === object.spec.version || version === undefined) return [];
  return [{ op: "replace", path: "/spec/version", value: version }];
}

function serverPatches(object: AnyControlPlane, server: SimServer, now: Date): readonly GuardedPatch[] {
  const { unreachable, corruptKubeconfig } = faultsOf(object, now);
  const desired = {
    onMachines: object.spec.machineTemplate !== undefined,
    unreachable,
    corruptKubeconfig,
  };
  const operations = Object.entries(desired).flatMap(([field, wanted]): readonly PatchOperation[] => {
    const present = server.spec[field as keyof typeof desired] ?? false;
    if (present === wanted) return [];
    const path = `/spec/${field}`;
    return wanted ? [{ op: "add", path, value: true }] : [{ op: "remove", path }];
  });
  return operations.length === 0 ? [] : [{ target: refTo(SimServer, server), operations }];
}

/** Nothing leads from a template that no Cluster owns to the control planes that name it. */
const TEMPLATE_POLL_MS = 5 * SECOND;

async function templateWrites(
  object: AnyControlPlane,
  cluster: Cluster,
  read: StepContext["read"],
): Promise<{ readonly patch: readonly GuardedPatch[]; readonly wait: Result }> {
  const template = machineTemplateOf(object);
  if (template === undefined || "problem" in template) return { patch: [], wait: done };
  const templates = await readTemplates(read, object, template);
  const kinds: readonly Kind[] = [
    SimMachineTemplate as unknown as Kind,
    SimBootstrapConfigTemplate as unknown as Kind,
  ];
  const patch = templates.flatMap((found, index): readonly GuardedPatch[] => {
    const kind = kinds[index];
    if (found === undefined || kind === undefined) return [];
    const operations = ownerReferencePatch(found, ownerReference(Cluster, cluster));
    return operations.length === 0 ? [] : [{ target: refTo(kind, found), operations }];
  });
  const [missing] = missingTemplates(template, templates);
  return { patch, wait: missing === undefined ? done : requeueAfter(TEMPLATE_POLL_MS, missing) };
}

function orderServer(
  object: AnyControlPlane,
  cluster: Cluster,
  { patch, now }: { readonly patch: readonly GuardedPatch[]; readonly now: Date },
): Decision<KubeObject, never> {
  if (lacksInfrastructure(object, cluster)) {
    return { patch, result: waitFor("Cluster.status.initialization.infrastructureProvisioned") };
  }
  const owner = controllerReference(kindOfControlPlane(object), object);
  const { port } = cluster.spec.controlPlaneEndpoint ?? {};
  const server = newServer(owner, cluster, {
    port,
    onMachines: object.spec.machineTemplate !== undefined,
    now,
  });
  return { create: [server], patch, result: waitFor("SimServer.status.host") };
}

function endpointPatch(
  object: AnyControlPlane,
  { status }: SimServer,
): { readonly patch: readonly GuardedPatch[]; readonly result: Result } {
  const { host, port } = status ?? {};
  if (host === undefined || port === undefined)
    return { patch: [], result: waitFor("SimServer.status.host") };
  const { controlPlaneEndpoint } = object.spec;
  if (controlPlaneEndpoint?.host === host && controlPlaneEndpoint.port === port)
    return { patch: [], result: done };
  const value = { host, port };
  const operations = [{ op: "add", path: "/spec/controlPlaneEndpoint", value }] as const;
  return { patch: [{ target: refTo(kindOfControlPlane(object), object), operations }], result: done };
}

function patched(
  object: AnyControlPlane,
  operations: readonly PatchOperation[],
): Decision<KubeObject, never> {
  return { patch: [{ target: refTo(kindOfControlPlane(object), object), operations }], result: done };
}
