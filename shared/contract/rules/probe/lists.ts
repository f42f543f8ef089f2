import { CLUSTER_NAME_LABEL, POOL_NAME_LABEL } from "../../../api/indexes.ts";
import type { KubeObject } from "../../../api/kinds.ts";
import { labelValueOf } from "../../../api/names.ts";
import { sameJson, valueAt } from "../../../api/path.ts";
import { readCount, readString, readStrings } from "../../fields.ts";
import { infraMachinePoolPath } from "../../infra-machine-pool.ts";
import { fail, type Judgement, na, orPass, pass, unknown } from "../rule.ts";
import type { ProbeSubject, ScaleTrial } from "./subject.ts";

const NOT_SCALED = "the life ended before the pool was scaled";
const LIST_BOUNDS = { maxItems: 10_000, maxLength: 512 };
/** The search for doubles is quadratic. */
const MAX_COMPARED = 2_000;

/** IMP-29: the list follows the replicas, and names Nodes. */
export function judgeLists(subject: ProbeSubject): readonly Judgement[] {
  if (subject.life.scaled.length === 0) return [unknown(NOT_SCALED)];
  const judgements = subject.life.scaled.flatMap((trial) => judgeList(subject, trial));
  return orPass(judgements);
}

function judgeList({ title, contract }: ProbeSubject, trial: ScaleTrial): readonly Judgement[] {
  const { replicas, before, after, nodes, settled } = trial;
  const object = after.get(title);
  if (object === undefined) return [fail({ found: "the pool is gone", expected: `${replicas} replicas` })];
  const path = infraMachinePoolPath(contract, "providerIDList");
  const { value: ids = [], problem } = readStrings(object, path, LIST_BOUNDS);
  if (problem !== undefined) return [fail({ path, found: problem, expected: "a list of provider IDs" })];
  const reported = readCount(object, infraMachinePoolPath(contract, "replicas")).value;
  const twice = ids.find((id, index) => index < MAX_COMPARED && ids.indexOf(id) !== index);
  if (twice !== undefined)
    return [fail({ path, found: `${twice} twice`, expected: "each provider ID once" })];
  if (ids.length !== replicas || reported !== replicas) {
    const found = `${ids.length} entries and status.replicas ${reported ?? "absent"} for ${replicas} replicas`;
    const isUntouched = !settled && sameJson(valueAt(before.get(title), path), valueAt(object, path));
    return [
      isUntouched
        ? unknown(`${found}: the pool did not change within the limit`, { path })
        : fail({ path, found, expected: `${replicas} of each` }),
    ];
  }
  const strange = nodes === undefined ? undefined : ids.find((id) => !nodes.has(id));
  if (strange === undefined) return [];
  return [fail({ path, found: `${strange}, which no Node has`, expected: "provider IDs of Nodes" })];
}

/** IMP-21: one machine for each replica, with the labels of pool and Cluster, listed by its provider ID. */
export function judgeMachines(subject: ProbeSubject): readonly Judgement[] {
  const { life } = subject;
  if (life.scaled.length === 0) return [unknown(NOT_SCALED)];
  const judgements = life.scaled.flatMap((trial) => judgeTrial(subject, trial));
  return judgements.length === 0 ? [pass()] : judgements.slice(0, 1);
}

function judgeTrial({ title, contract }: ProbeSubject, trial: ScaleTrial): readonly Judgement[] {
  const { replicas, after, settled } = trial;
  const object = after.get(title);
  if (object === undefined) return [na("the pool is gone")];
  const kind = readString(object, infraMachinePoolPath(contract, "infrastructureMachineKind")).value ?? "";
  if (kind === "") return [na("status.infrastructureMachineKind is not set")];
  if (!settled) return [unknown("the pool did not follow within the limit")];
  const own = machinesOf(object, kind, trial);
  if (own.length !== replicas) {
    return [
      fail({ found: `${own.length} objects of kind ${kind} with the labels`, expected: String(replicas) }),
    ];
  }
  const path = infraMachinePoolPath(contract, "providerIDList");
  const ids = new Set(readStrings(object, path, LIST_BOUNDS).value);
  const strange = own.map((machine) => valueAt(machine, "spec.providerID")).find((id) => !isIn(ids, id));
  if (strange === undefined) return [];
  return [fail({ path: "spec.providerID", found: `${strange} in no entry of ${path}`, expected: "listed" })];
}

/** An ID may be unknown for a while. */
function isIn(ids: ReadonlySet<string>, id: unknown): boolean {
  return typeof id !== "string" || id === "" || ids.has(id);
}

function machinesOf({ metadata }: KubeObject, kind: string, { after }: ScaleTrial): readonly KubeObject[] {
  const owner = metadata.ownerReferences?.find((one) => one.kind === "MachinePool")?.name;
  const pool = owner === undefined ? undefined : labelValueOf(owner);
  const cluster = metadata.labels?.[CLUSTER_NAME_LABEL];
  return [...after.values()].filter(
    (one) =>
      one.kind === kind &&
      one.metadata.labels?.[POOL_NAME_LABEL] === pool &&
      one.metadata.labels?.[CLUSTER_NAME_LABEL] === cluster,
  );
}
