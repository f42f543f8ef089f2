import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { BootstrapConfig } from "../../shared/contract/bootstrap-config.ts";
import { InfraMachinePool } from "../../shared/contract/infra-machine-pool.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import { inCluster, itself, referencing, referencingKind } from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { isStillOwner } from "../../shared/rules/metadata/owner-references.ts";
import { adoptionPatch, describeController, poolAdoption } from "./rules/adoption.ts";
import { awaitedAdoption } from "./rules/awaited.ts";
import { poolHold } from "./rules/hold.ts";
import { readCluster, readProviders } from "./rules/reads.ts";

const ADOPTED_FIELDS = ["metadata.ownerReferences", "metadata.labels[cluster.x-k8s.io/cluster-name]"];

export const machinepoolAdopt = defineFunction(
  {
    name: "machinepool-adopt",
    summary: "Makes a MachinePool the controller of its bootstrap and infrastructure object.",
    source: "machinepool.md 2 and 5",
    reconciles: MachinePool,
    watches: [
      watch(
        MachinePool,
        [
          "metadata.uid",
          "metadata.finalizers",
          "metadata.deletionTimestamp",
          "metadata.annotations[cluster.x-k8s.io/paused]",
          "spec.template.spec.bootstrap.configRef",
          "spec.template.spec.infrastructureRef",
        ],
        itself,
      ),
      watch(Cluster, ["metadata.uid", "spec.paused"], inCluster),
      watchContract(BootstrapConfig, ["metadata.uid", ...ADOPTED_FIELDS], referencing),
      watchContract(InfraMachinePool, ["metadata.uid", ...ADOPTED_FIELDS], referencing),
      watch(CustomResourceDefinition, ["metadata.uid", "metadata.labels"], referencingKind),
    ],
    owns: [],
    ownsOn: [
      { kind: BootstrapConfig, fields: ADOPTED_FIELDS },
      { kind: InfraMachinePool, fields: ADOPTED_FIELDS },
    ],
  },
  async (pool, { read }) => {
    const hold = poolHold(pool, await readCluster(read, pool));
    if (hold !== undefined) return { result: hold };

    const providers = await readProviders(read, pool);
    const found = [providers.bootstrap, providers.infrastructure].filter(
      (provider) => provider?.state === "found",
    );
    const patch = found
      .map((provider) => ({ provider, operations: adoptionPatch(pool, provider) }))
      .filter(({ operations }) => operations.length > 0);
    const adopted = patch.map(({ provider }) => provider.object);
    // The watch of the recreated pool brings the next run.
    if (!(await isStillOwner(read.live, MachinePool, pool, adopted))) return { result: done };
    const awaited = awaitedAdoption(pool, providers);
    return {
      patch: patch.map(({ provider, operations }) => ({
        target: refTo(provider.kind, provider.object),
        operations,
      })),
      // Taking an object from its controller would make two of them fight for it for ever.
      events: found
        .filter((provider) => poolAdoption(pool, provider) === "foreign")
        .map(({ object }) => ({
          type: "Warning",
          reason: "ControlledByAnother",
          message: describeController(object),
        })),
      result: awaited === undefined ? done : waitFor(awaited),
    };
  },
);
