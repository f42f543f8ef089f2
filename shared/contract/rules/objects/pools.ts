import { CLUSTER_NAME_LABEL, POOL_NAME_LABEL } from "../../../api/indexes.ts";
import { CLUSTER_GROUP, groupOf, type KubeObject } from "../../../api/kinds.ts";
import { labelValueOf } from "../../../api/names.ts";
import { textAt, valueAt } from "../../../api/path.ts";
import { readCount, readString, readStrings } from "../../fields.ts";
import { infraMachinePoolPath } from "../../infra-machine-pool.ts";
import { fail, type Judgement, na, unknown, warn } from "../rule.ts";
import { objectRule } from "./judgements.ts";
import type { ObjectSubject } from "./subject.ts";

const BOOK = "https://cluster-api.sigs.k8s.io/developer/providers/contracts/infra-machinepool";

export const readyCondition = objectRule({
  id: "IMP-23",
  level: "SHOULD",
  sentence: "The conditions of a pool have `Ready`, which covers provisioning, steady state and deletion",
  effect:
    "core mirrors `Ready` into the condition InfrastructureReady of the MachinePool, else it says that it waits",
  source: BOOK,
  check({ object }) {
    const conditions = valueAt(object, "status.conditions");
    if (!Array.isArray(conditions) || conditions.length === 0) return [na("the object has no conditions")];
    const status = readString(object, "status.conditions[Ready].status").value;
    if (status === undefined) {
      return [warn({ path: "status.conditions", found: "no condition Ready", expected: "Ready" })];
    }
    return [];
  },
});

export const trackedProviderIds = objectRule({
  id: "IMP-29",
  level: "MUST",
  artefact: "A3/A4",
  sentence:
    "`spec.providerIDList` follows the instances, and each entry is the provider ID of a Node, character by character",
  effect: "core deletes the Nodes whose provider ID has left the list",
  source: "core/reconcilers/machinepool/machinepool_controller_noderef.go",
  check(subject) {
    const { object, contract } = subject;
    const path = infraMachinePoolPath(contract, "providerIDList");
    const { value: ids = [], problem } = readStrings(object, path, { maxItems: 10_000, maxLength: 512 });
    if (problem !== undefined) return [fail({ path, found: problem, expected: "a list of provider IDs" })];
    if (object.metadata.deletionTimestamp !== undefined) return [na("the pool is being deleted")];
    const seen = new Set<string>();
    const twice = ids.find((id) => seen.size === seen.add(id).size);
    if (twice !== undefined)
      return [fail({ path, found: `${twice} twice`, expected: "each provider ID once" })];
    return [
      ...judgeCount(subject, path, ids.length),
      ...judgeNodes(subject, path, ids),
      ...judgeMachines(subject, path, ids),
    ];
  },
});

/** A list may differ from the count while instances come or go. */
function judgeCount(
  { object, contract, around }: ObjectSubject,
  path: string,
  length: number,
): readonly Judgement[] {
  const replicas = readCount(object, infraMachinePoolPath(contract, "replicas")).value;
  if (replicas === undefined || replicas === length) return [];
  const pools = { group: CLUSTER_GROUP, kind: "MachinePool" };
  const { namespace, ownerReferences = [] } = object.metadata;
  const owner = ownerReferences
    .flatMap(({ name }) => around.objectsBy("metadata.name", pools, namespace).with(name))
    .find((pool) => isOwner(pool, object));
  const desired = owner === undefined ? undefined : valueAt(owner, "spec.replicas");
  if (desired !== replicas)
    return [unknown(`${length} entries and ${replicas} replicas: the pool may be scaling`, { path })];
  return [
    fail({
      path,
      found: `${length} entries`,
      expected: `${replicas}, as status.replicas and the MachinePool`,
    }),
  ];
}

function isOwner(owner: KubeObject, { metadata }: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ apiVersion, kind, name }) =>
      kind === owner.kind &&
      groupOf(apiVersion) === groupOf(owner.apiVersion) &&
      name === owner.metadata.name,
  );
}

/** Judges Nodes where those of the workload cluster are among the documents. */
function judgeNodes({ around }: ObjectSubject, path: string, ids: readonly string[]): readonly Judgement[] {
  const nodes = around.objectsBy("spec.providerID", { group: "", kind: "Node" });
  if (nodes.size === 0) return [];
  const strange = ids.find((id) => nodes.with(id).length === 0);
  return strange === undefined
    ? []
    : [fail({ path, found: `${strange}, which no Node has`, expected: "provider IDs of Nodes" })];
}

/** Judges machines where the pool has machines of its own. */
function judgeMachines(
  { object, contract, around }: ObjectSubject,
  path: string,
  ids: readonly string[],
): readonly Judgement[] {
  const kind = readString(object, infraMachinePoolPath(contract, "infrastructureMachineKind")).value ?? "";
  if (kind === "") return [];
  const { namespace = "", labels = {} } = object.metadata;
  const owner = object.metadata.ownerReferences?.find((one) => one.kind === "MachinePool")?.name;
  const pool = owner === undefined ? (labels[POOL_NAME_LABEL] ?? "") : labelValueOf(owner);
  const cluster = labels[CLUSTER_NAME_LABEL];
  const known = new Set(ids);
  return around
    .objectsBy(`metadata.labels[${POOL_NAME_LABEL}]`, { group: groupOf(object.apiVersion), kind }, namespace)
    .with(pool)
    .filter(
      ({ metadata }) =>
        metadata.deletionTimestamp === undefined && metadata.labels?.[CLUSTER_NAME_LABEL] === cluster,
    )
    .flatMap((machine) => {
      const id = textAt(machine, "spec.providerID");
      return id === "" || known.has(id)
        ? []
        : [
            fail({
              at: around.place(machine),
              path: "spec.providerID",
              found: `${id} is not in the list of the pool`,
              expected: `an entry of ${path}`,
            }),
          ];
    });
}
