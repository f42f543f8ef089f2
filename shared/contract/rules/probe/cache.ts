import type { KubeObject } from "../../../api/kinds.ts";
import { listAt, sameJson, valueAt } from "../../../api/path.ts";
import { fail, type Judgement, na, orPass, pass, shown, unknown } from "../rule.ts";
import { belowOf } from "./pausing.ts";
import type { ProbeSubject, Snapshot, WipeTrial } from "./subject.ts";

/** Fields that have to be the same once the status was emptied and recreated. */
const RECREATED = [
  ...["ready", "initialized", "initialization", "failureDomain", "failureDomains", "addresses"],
  ...["replicas", "readyReplicas", "availableReplicas", "unavailableReplicas"],
  ...["upToDateReplicas", "updatedReplicas", "selector", "version", "versions"],
  ...["infrastructureMachineKind", "externalManagedControlPlane"],
].map((name) => `status.${name}`);
const KEPT = ["providerID", "providerIDList", "controlPlaneEndpoint"].map((name) => `spec.${name}`);
const SECRET_NAME = "status.dataSecretName";

/** CTL-39: the same readiness, counters and identities come back, and nothing is made twice. */
export function judgeCache({ title, life }: ProbeSubject): readonly Judgement[] {
  const trial = bothOf({ title, life });
  if ("verdict" in trial) return [trial];
  const { was, is, wiped } = trial;
  if (isEmpty(is) && !isEmpty(was)) return [unknown("the status did not come back within the limit")];
  const judgements = [
    ...lostPaths(was, is).map((path) =>
      fail({ path, found: shown(valueAt(is, path)), expected: shown(valueAt(was, path)) }),
    ),
    // The name of a Secret is BC-20.
    ...judgeBelow(title, wiped),
    ...judgeNodes(was, wiped),
  ];
  return orPass(judgements);
}

/** Fields of an object that are not as they were. */
export function lostPaths(was: KubeObject, is: KubeObject): readonly string[] {
  return [...RECREATED, ...KEPT].filter((path) => !sameJson(valueAt(was, path), valueAt(is, path)));
}

function judgeBelow(title: string, { before, after }: WipeTrial): readonly Judgement[] {
  const [had, has] = [identities(title, before), identities(title, after)];
  return sameJson(had, has) ? [] : [fail({ found: `below it: ${has.join(", ")}`, expected: had.join(", ") })];
}

/** The Nodes of the provider IDs that the object had are those that there were. */
function judgeNodes(was: KubeObject, { nodesBefore, nodesAfter }: WipeTrial): readonly Judgement[] {
  if (nodesBefore === undefined || nodesAfter === undefined) return [];
  const ids = [valueAt(was, "spec.providerID"), ...listAt(was, "spec.providerIDList")];
  const other = ids
    .filter((id) => typeof id === "string")
    .find((id) => nodesBefore.get(id) !== nodesAfter.get(id));
  if (other === undefined) return [];
  const found = `the Node of ${other} is ${nodesAfter.has(other) ? "another one" : "gone"}`;
  return [fail({ found, expected: "the same Node" })];
}

function isEmpty(object: KubeObject): boolean {
  const status = valueAt(object, "status");
  return typeof status !== "object" || status === null || Object.keys(status).length === 0;
}

/** BC-20: the name of the Secret follows from spec and metadata. */
export function judgeSecretName({ title, life }: ProbeSubject): readonly Judgement[] {
  const trial = bothOf({ title, life });
  if ("verdict" in trial) return [trial];
  const [had, has] = [valueAt(trial.was, SECRET_NAME), valueAt(trial.is, SECRET_NAME)];
  if (sameJson(had, has)) return [pass()];
  return [fail({ path: SECRET_NAME, found: shown(has), expected: shown(had) })];
}

interface Both {
  readonly was: KubeObject;
  readonly is: KubeObject;
  readonly wiped: WipeTrial;
}

function bothOf({ title, life: { wiped } }: Pick<ProbeSubject, "title" | "life">): Both | Judgement {
  if (wiped === undefined) return unknown("the life ended before the status was emptied");
  const was = wiped.before.get(title);
  const is = wiped.after.get(title);
  if (was === undefined) return na("the object was not there then");
  if (is === undefined) return fail({ found: "the object is gone", expected: "the same object" });
  if (is.metadata.uid !== was.metadata.uid) {
    return fail({ path: "metadata.uid", found: "another object of its name", expected: "the same object" });
  }
  return { was, is, wiped };
}

/** Names and uids of everything below an object. */
export function identities(title: string, snapshot: Snapshot): readonly string[] {
  return [...belowOf(title, snapshot)]
    .filter((one) => one !== title && !one.startsWith("Secret "))
    .map((one) => `${one} (${snapshot.get(one)?.metadata.uid})`)
    .sort((a, b) => (a < b ? -1 : 1));
}
