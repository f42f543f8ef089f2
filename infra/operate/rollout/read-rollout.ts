import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import { type ObjectKey, titleOf } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { resolveAmong } from "../../../shared/contract/referenced.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import type { RolloutFacts } from "../../../shared/rules/rollout/standstill.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";

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

/** Returns why the templates of a deployment cannot be used, one text each: `FooMachineTemplate default/t does not exist`. */
export async function missingTemplates(
  client: Live,
  { metadata, spec }: MachineDeployment,
): Promise<readonly string[]> {
  const { bootstrap, infrastructureRef } = spec.template.spec;
  const references = [bootstrap.configRef, infrastructureRef].filter((one) => one !== undefined);
  const { items } = await client.list(CustomResourceDefinition, {});
  const missing = references.map(async (reference) => {
    const definitions = items.filter(({ spec: { names } }) => names.kind === reference.kind);
    const resolved = resolveAmong(definitions, reference);
    if (resolved.state === "unresolved") return resolved.message;
    const key = { namespace: metadata.namespace ?? "", name: reference.name };
    const found = await client.get(resolved.kind, key);
    return found === undefined ? `${titleOf(reference.kind, key)} does not exist` : undefined;
  });
  return (await Promise.all(missing)).filter((text) => text !== undefined);
}
