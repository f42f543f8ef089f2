import { textAt, valueAt } from "../../../api/path.ts";
import { fail, type Judgement, na, orPass, pass } from "../rule.ts";
import { judgeGone, judgeKept } from "./keeping.ts";
import { coreObjects } from "./life-views.ts";
import type { ProbeSubject } from "./subject.ts";

const judgeOwner = judgeKept("Machine", true);

/** IM-25: the object keeps its Machine as controller, is in its failure domain, and goes before it. */
export function judgeMachine(subject: ProbeSubject): readonly Judgement[] {
  const said = [judgeOwner, judgeDomain, judgeGone].flatMap((judge) => judge(subject));
  const counted = said.filter(({ verdict }) => verdict !== "pass" && verdict !== "na");
  return orPass(counted);
}

function judgeDomain({ title, life: { provisioned } }: ProbeSubject): readonly Judgement[] {
  const object = provisioned.get(title);
  const owners = new Set(object?.metadata.ownerReferences?.map(({ uid }) => uid));
  const machine = coreObjects(provisioned, "Machine").find(({ metadata }) => owners.has(metadata.uid ?? ""));
  const wanted = textAt(machine, "spec.failureDomain");
  const path = "status.failureDomain";
  const found = valueAt(object, path);
  if (wanted === "" || found === undefined) return [na("the Machine or the object has no failure domain")];
  return found === wanted ? [pass()] : [fail({ path, found: String(found), expected: wanted })];
}
