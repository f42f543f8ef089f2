import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import {
  type ContractReference,
  type Kind,
  type KubeObject,
  type ObjectKey,
  titleOf,
} from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { type Referenced, resolveAmong } from "../../../shared/contract/referenced.ts";
import { preflight } from "../../../shared/rules/machines/preflight.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import { readMachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import { readControlPlane } from "../../../shared/rules/providers/read-control-plane.ts";
import type { RolloutFacts } from "../../../shared/rules/rollout/standstill.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";
import type { Blockers } from "./rollout-report.ts";

type Live = Pick<KubeClient, "get" | "list">;

/** Reads a deployment live with its sets and their Machines; `undefined`: it does not exist. */
export async function readRollout(
  client: Live,
  key: ObjectKey,
  now: Date,
): Promise<RolloutFacts | undefined> {
  const deployment = await client.get(MachineDeployment, key);
  if (deployment === undefined) return undefined;
  const { namespace } = key;
  const labelSelector = `${CLUSTER_NAME_LABEL}=${deployment.spec.clusterName}`;
  const [sets, machines] = await Promise.all([
    client.list(MachineSet, { namespace, labelSelector }),
    client.list(Machine, { namespace, labelSelector }),
  ]);
  const own = sets.items.filter((set) => controllerOf(set)?.uid === deployment.metadata.uid);
  const uids = new Set(own.map(({ metadata }) => metadata.uid));
  const theirs = machines.items.filter((machine) => uids.has(controllerOf(machine)?.uid));
  return { deployment, sets: own, machines: theirs, now };
}

/** Reads live what keeps a set of the deployment's template from being made, or from making Machines. */
export async function readBlockers(client: Live, deployment: MachineDeployment): Promise<Blockers> {
  const { metadata, spec } = deployment;
  const { namespace = "" } = metadata;
  const { items: definitions } = await client.list(CustomResourceDefinition, {});
  const read = { referenced: referencedAmong(client, definitions) };
  const [cluster, templates] = await Promise.all([
    client.get(Cluster, { namespace, name: spec.clusterName }),
    readMachineProviders(read, spec.template.spec, namespace),
  ]);
  const { bootstrap, infrastructureRef } = spec.template.spec;
  const missing = [
    ...missingText(templates.bootstrap, bootstrap.configRef, namespace),
    ...missingText(templates.infrastructure, infrastructureRef, namespace),
  ];
  if (cluster === undefined) {
    return { missing: [`Cluster ${namespace}/${spec.clusterName} does not exist`, ...missing], checks: [] };
  }
  const controlPlane = await readControlPlane(read, cluster);
  return { missing, checks: preflight({ set: deployment, cluster, controlPlane, templates }) };
}

function referencedAmong(client: Live, definitions: readonly CustomResourceDefinition[]) {
  return async <T extends KubeObject>(
    reference: ContractReference,
    namespace: string,
  ): Promise<Referenced<T>> => {
    const named = definitions.filter(({ spec: { names } }) => names.kind === reference.kind);
    const resolved = resolveAmong(named, reference);
    if (resolved.state === "unresolved") return resolved;
    const { kind, contract } = resolved;
    const object = await client.get(kind as Kind as Kind<T>, { namespace, name: reference.name });
    return object === undefined
      ? { state: "missing", contract, kind }
      : { state: "found", object, contract, kind };
  };
}

function missingText(
  found: Referenced | undefined,
  reference: ContractReference | undefined,
  namespace: string,
): readonly string[] {
  if (found === undefined || reference === undefined || found.state === "found") return [];
  if (found.state === "unresolved") return [found.message];
  return [`${titleOf(reference.kind, { namespace, name: reference.name })} does not exist`];
}
