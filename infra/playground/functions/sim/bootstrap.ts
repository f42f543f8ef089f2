import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { Secret } from "../../../../shared/api/core.ts";
import { CLUSTER_NAME_LABEL } from "../../../../shared/api/indexes.ts";
import { apiVersionOf, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import {
  type Decision,
  defineFunction,
  type NewObject,
  watch,
} from "../../../../shared/function/define-function.ts";
import { isPaused, PAUSE_FIELDS, PAUSING_FIELDS, readCluster } from "../../../../shared/function/guards.ts";
import { ISSUED_SECRET_TYPE } from "../../../../shared/function/issue.ts";
import { inCluster, itself, ownedBy } from "../../../../shared/function/mappings.ts";
import { done, failed, waitFor } from "../../../../shared/function/result.ts";
import {
  condition,
  type DesiredCondition,
  setConditions,
} from "../../../../shared/rules/conditions/conditions.ts";
import { pausedCondition } from "../../../../shared/rules/conditions/paused-condition.ts";
import { controllerReference, isOwnedBy } from "../../../../shared/rules/metadata/owner-references.ts";
import { readOwner } from "../../../../shared/rules/metadata/read-owner.ts";
import { OWN_FIELDS } from "../../../../shared/rules/providers/adoption.ts";
import { SimBootstrapConfig } from "../../api/sim-bootstrap.ts";

const OWNED = [
  "status.dataSecretName",
  "status.initialization.dataSecretCreated",
  "status.ready",
  "status.conditions",
] as const;
type Owned = (typeof OWNED)[number];

export const simBootstrap = defineFunction<SimBootstrapConfig, Owned>(
  {
    name: "sim-bootstrap",
    summary: "Writes the bootstrap data Secret of a SimBootstrapConfig and names it in the status.",
    source: "own",
    reconciles: SimBootstrapConfig,
    watches: [
      watch(SimBootstrapConfig, [...OWN_FIELDS, ...PAUSE_FIELDS], itself),
      watch(MachinePool, ["metadata.uid"], ownedBy),
      watch(Machine, ["metadata.uid"], ownedBy),
      watch(Cluster, [...PAUSING_FIELDS, "status.initialization.infrastructureProvisioned"], inCluster),
    ],
    owns: OWNED,
    calls: [{ verb: "create", kind: Secret }],
    blocks: [SimBootstrapConfig],
    readsLive: [Secret],
    queue: { concurrency: 20 },
  },
  async (object, { read, now }) => {
    if (object.metadata.deletionTimestamp !== undefined) return { result: done };
    const owner = (await readOwner(MachinePool, object, read)) ?? (await readOwner(Machine, object, read));
    if (owner === undefined) return { result: waitFor("SimBootstrapConfig.metadata.ownerReferences") };
    const { namespace = "" } = object.metadata;
    const { clusterName } = owner.spec;
    const cluster = await readCluster(read, owner);
    const paused = pausedCondition(cluster, object, "SimBootstrapConfig");
    if (isPaused(cluster, object)) return { apply: statusOf(object, [paused], now), result: done };
    if (cluster?.status?.initialization?.infrastructureProvisioned !== true) {
      const message = "The infrastructure of the Cluster is not provisioned";
      return {
        apply: statusOf(object, [paused, condition("Ready", "False", "NotReady", message)], now),
        result: waitFor("Cluster.status.initialization.infrastructureProvisioned"),
      };
    }

    const name = `${object.metadata.name}-data`;
    const { dataSecretName, initialization } = object.status ?? {};
    // Secrets are in no read model: once it is made, a run costs no request.
    if (initialization?.dataSecretCreated === true && dataSecretName === name) {
      return { apply: statusOf(object, [paused, condition("Ready", "True", "Ready")], now), result: done };
    }
    const secret = await read.live.secret({ namespace, name });
    if (secret !== undefined && !isOwnedBy(secret, object.metadata.uid)) {
      const message = `Secret ${name} belongs to something else; rename the SimBootstrapConfig or delete the Secret`;
      return {
        apply: statusOf(object, [paused, condition("Ready", "False", "InternalError", message)], now),
        result: failed("SecretConflict", message),
      };
    }
    return {
      create: secret === undefined ? [newSecret(object, name, clusterName)] : [],
      apply: {
        ...statusOf(object, [paused, condition("Ready", "True", "Ready")], now),
        "status.dataSecretName": name,
        "status.initialization.dataSecretCreated": true,
        "status.ready": true,
      },
      result: done,
    };
  },
);

/** Returns the present status with these conditions. */
function statusOf(
  { status = {}, metadata }: SimBootstrapConfig,
  desired: readonly DesiredCondition[],
  now: Date,
): NonNullable<Decision<SimBootstrapConfig, Owned>["apply"]> {
  return {
    "status.dataSecretName": status.dataSecretName,
    "status.initialization.dataSecretCreated": status.initialization?.dataSecretCreated,
    "status.ready": status.initialization?.dataSecretCreated,
    "status.conditions": setConditions(status.conditions, desired, now, metadata.generation),
  };
}

/** Always the same: simulated instances run nothing. By the file, providers see that a machine has started. */
const BOOTSTRAP_DATA = [
  "#cloud-config",
  "# Simulated instances have nothing else to run.",
  "runcmd:",
  "  - mkdir -p /run/cluster-api && touch /run/cluster-api/bootstrap-success.complete",
  "",
].join("\n");

function newSecret(object: SimBootstrapConfig, name: string, clusterName: string): NewObject {
  const secret: Secret = {
    apiVersion: apiVersionOf(Secret),
    kind: Secret.kind,
    metadata: {
      name,
      namespace: object.metadata.namespace,
      labels: { [CLUSTER_NAME_LABEL]: clusterName },
      ownerReferences: [controllerReference(SimBootstrapConfig, object)],
    },
    type: ISSUED_SECRET_TYPE,
    data: { format: btoa("cloud-config"), value: btoa(BOOTSTRAP_DATA) },
  };
  return { cluster: MANAGEMENT, kind: Secret, object: secret };
}
