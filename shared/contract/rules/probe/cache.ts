import type { KubeObject } from "../../../api/kinds.ts";
import { sameJson, valueAt } from "../../../api/path.ts";
import { fail, type Judgement, na, pass, shown, unknown } from "../rule.ts";
import { belowOf } from "./pausing.ts";
import type { ProbeSubject, Snapshot } from "./subject.ts";

/** Fields that have to be the same once the status was emptied and recreated. */
const STATUS = [
  "ready",
  "initialized",
  "initialization",
  "replicas",
  "readyReplicas",
  "addresses",
  "version",
  "versions",
];
const SPEC = ["providerID", "providerIDList", "controlPlaneEndpoint"];
const SECRET_NAME = "status.dataSecretName";

/** CTL-39: the same readiness, counters and identities come back, and nothing is made twice. */
export function judgeCache({ title, life }: ProbeSubject): readonly Judgement[] {
  const trial = bothOf({ title, life });
  if ("verdict" in trial) return [trial];
  const { was, is } = trial;
  if (isEmpty(is) && !isEmpty(was)) return [unknown("the status did not come back within the limit")];
  const paths = [...STATUS.map((name) => `status.${name}`), ...SPEC.map((name) => `spec.${name}`)];
  const lost = paths.filter((path) => !sameJson(valueAt(was, path), valueAt(is, path)));
  const { before, after } = life.wiped ?? { before: new Map(), after: new Map() };
  const [had, has] = [identities(title, before), identities(title, after)];
  const judgements = [
    ...lost.map((path) =>
      fail({ path, found: shown(valueAt(is, path)), expected: shown(valueAt(was, path)) }),
    ),
    // The name of a Secret is BC-20.
    ...(sameJson(had, has) ? [] : [fail({ found: `below it: ${has.join(", ")}`, expected: had.join(", ") })]),
  ];
  return judgements.length === 0 ? [pass()] : judgements;
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

function bothOf({
  title,
  life,
}: Pick<ProbeSubject, "title" | "life">): { readonly was: KubeObject; readonly is: KubeObject } | Judgement {
  if (life.wiped === undefined) return unknown("the life ended before the status was emptied");
  const was = life.wiped.before.get(title);
  const is = life.wiped.after.get(title);
  if (was === undefined) return na("the object was not there then");
  return is === undefined ? fail({ found: "the object is gone", expected: "the same object" }) : { was, is };
}

/** Names and uids of everything below an object. */
export function identities(title: string, snapshot: Snapshot): readonly string[] {
  return [...belowOf(title, snapshot)]
    .filter((one) => one !== title && !one.startsWith("Secret "))
    .map((one) => `${one} (${snapshot.get(one)?.metadata.uid})`)
    .sort((a, b) => (a < b ? -1 : 1));
}
