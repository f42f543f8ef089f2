import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { ClusterResourceSetBinding, ResourceBinding } from "../../../shared/api/clusterresourceset.ts";
import {
  type Decision,
  done,
  MINUTE,
  type Notice,
  type Result,
  requeueAfter,
  SECOND,
} from "../../../shared/function/define-function.ts";
import type { DeliveryAnswer } from "../../../shared/function/manifests.ts";
import { timestamp } from "../../../shared/rules/conditions/conditions.ts";
import { bindingWrite, entryOf } from "./binding.ts";
import { type Due, looksAtSecrets } from "./due.ts";
import { type NotApplied, notAppliedIn } from "./not-applied.ts";

/** The time between two looks at Secrets, as at kubeconfigs. */
const SECRETS_MS = 5 * MINUTE;
const SOONEST_MS = 5 * SECOND;
const LATEST_MS = 5 * MINUTE;
const MAX_PROBLEMS = 3;

interface Scene {
  readonly cluster: Cluster;
  readonly binding: ClusterResourceSetBinding | undefined;
  readonly dues: readonly Due[];
  readonly now: Date;
}

/** Returns what follows from the answers to all deliveries, in the order of `dues`: entries, Events, when to try again. */
export function conclusion(
  { cluster, binding, dues, now }: Scene,
  answers: readonly DeliveryAnswer[],
): Pick<Decision<Cluster, never>, "create" | "patch" | "events"> & { readonly result: Result } {
  const left = [...answers];
  const before = notAppliedIn(binding);
  const events: Notice[] = [];
  const entries = new Map<Due["set"], readonly ResourceBinding[]>();
  const failing: [string, NotApplied][] = [];
  for (const due of dues) {
    const { name } = due.set.metadata;
    const answered = due.deliveries.map((each) => ({ ...each, answer: left.shift() ?? UNANSWERED }));
    const after = answered.map((each) => entryAfter(each, now));
    entries.set(due.set, replaced(due.entries, after));
    events.push(...answered.flatMap((each) => announced(name, each)));
    const problems = [...due.problems.problems, ...answered.flatMap(problemsOf)];
    if (problems.length === 0) continue;
    const since = before[name]?.since ?? timestamp(now);
    failing.push([name, { reason: due.problems.reason, problems: problems.slice(0, MAX_PROBLEMS), since }]);
  }
  const notApplied = Object.fromEntries(failing);
  const write = bindingWrite({ cluster, binding, entries, notApplied });
  return { ...write, events, result: nextRun(dues, failing, now) };
}

const UNANSWERED: DeliveryAnswer = { type: "failed", problems: ["not delivered"] };

type Answered = Due["deliveries"][number] & { readonly answer: DeliveryAnswer };

function entryAfter({ resource, delivery, answer }: Answered, now: Date): ResourceBinding {
  const { kind, name } = resource;
  const isUnreadable = answer.type === "failed" && answer.isUnreadable === true;
  return {
    kind,
    name,
    ...(isUnreadable ? {} : { hash: delivery.hash }),
    lastAppliedTime: timestamp(now),
    applied: answer.type === "applied",
  };
}

/** Resources that the set no longer names keep their entries: their objects are still there. */
function replaced(
  before: readonly ResourceBinding[],
  after: readonly ResourceBinding[],
): readonly ResourceBinding[] {
  const others = before.map((entry) => entryOf(after, entry) ?? entry);
  return [...others, ...after.filter((entry) => entryOf(before, entry) === undefined)];
}

function problemsOf({ resource: { kind, name }, answer }: Answered): readonly string[] {
  return answer.type === "applied" ? [] : answer.problems.map((problem) => `${kind} ${name}: ${problem}`);
}

/** Differs: upstream sends no Event. */
function announced(set: string, { resource, delivery, answer }: Answered): readonly Notice[] {
  if (answer.type !== "applied") return [];
  const message = `${resource.kind} ${resource.name} of ClusterResourceSet ${set}`;
  return [{ type: "Normal", reason: "ResourcesApplied", message, occasion: delivery.hash }];
}

/** A failure is tried again after as long as it has lasted, at least 5 s and at most 5 min. */
function nextRun(dues: readonly Due[], failing: readonly [string, NotApplied][], now: Date): Result {
  const [first] = failing;
  if (first !== undefined) {
    const times = failing.map(([, { since }]) => now.getTime() - Date.parse(since));
    const afterMs = Math.min(...times.map((ms) => Math.min(LATEST_MS, Math.max(SOONEST_MS, ms))));
    return requeueAfter(afterMs, `ClusterResourceSet ${first[0]}: ${first[1].problems[0] ?? ""}`);
  }
  return dues.some(({ set }) => looksAtSecrets(set))
    ? requeueAfter(SECRETS_MS, "a change of a Secret, which not every relay may watch")
    : done;
}
