import { textAt, valueAt } from "../../../api/path.ts";
import { CONTRACT_KINDS, type ContractRole } from "../crd/contract-kinds.ts";
import { trackedProviderIds } from "../objects/pools.ts";
import { RELEASE_RULES } from "../release/rules.ts";
import { fail, type Judgement, na, orPass, pass, type RuleText, unknown, warn } from "../rule.ts";
import { judgeCache, judgeSecretName } from "./cache.ts";
import { judgeMachineLabels, judgePlacement, judgePropagation, judgeUpToDate } from "./control-plane.ts";
import { judgeGone, judgeKept } from "./keeping.ts";
import { clusterIn, coreObjects, hasEndpoint } from "./life-views.ts";
import { judgeLists, judgeMachines } from "./lists.ts";
import { judgePausing } from "./pausing.ts";
import { PROBE_RULES } from "./rules.ts";
import type { ProbeCheck, ProbeRule, ProbeSubject } from "./subject.ts";

type Checks = { readonly [id: string]: ProbeCheck };

/** IP-16: claims of a paused Cluster and of a missing one rest. Whether they do is seen only where a claim is served later. */
function judgeClaims({ title, life }: ProbeSubject): readonly Judgement[] {
  const trial = life.claims.get(title);
  if (trial === undefined) return [unknown("the server has no IPAddressClaims, or the life ended before")];
  const worked = [
    ["a paused Cluster", trial.paused],
    ["a missing Cluster", trial.missing],
  ] as const;
  const judgements = worked.flatMap(([of, written]) =>
    written.map((path) => fail({ path, found: `written for a claim of ${of}`, expected: "nothing" })),
  );
  if (judgements.length > 0 || trial.isServed) return orPass(judgements);
  return [unknown("the claim got no address within the limit, also once the pause was over")];
}

/** IC-22, CP-42: an object whose provider does not supply the endpoint waits for that of the Cluster. */
function judgeWaiting({ title, life }: ProbeSubject): readonly Judgement[] {
  const { provisioned, readyWithoutEndpoint } = life;
  const object = provisioned.get(title);
  if (object === undefined) return [unknown("the life ended before")];
  if (hasEndpoint(object)) return [na("the object supplies the endpoint")];
  if (readyWithoutEndpoint.has(title)) {
    const found = "provisioned or initialized while the Cluster had no endpoint";
    return [
      fail({ path: "status", found, expected: "it waits for spec.controlPlaneEndpoint of the Cluster" }),
    ];
  }
  return hasEndpoint(clusterIn(provisioned)) ? [pass()] : [unknown("the Cluster never had an endpoint")];
}

const judgeOwner = judgeKept("Machine", true);

/** IM-25: the object keeps its Machine as controller, is in its failure domain, and goes before it. */
function judgeMachine(subject: ProbeSubject): readonly Judgement[] {
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

/** IC-20: the provider writes nothing on an object that another system manages. */
function judgeManaged({ life: { managed } }: ProbeSubject): readonly Judgement[] {
  if (managed === undefined) return [unknown("core did not adopt such an object, or the life ended before")];
  if (managed.written.length === 0) return [pass()];
  return [warn({ found: `written: ${managed.written.join(", ")}`, expected: "no write within 10 s" })];
}

const CHECKS: Checks = {
  "IMP-21": judgeMachines,
  "IMP-25": judgePausing,
  "IMP-30": judgeKept("MachinePool", true),
  "IMP-33": judgeGone,
  "IC-20": judgeManaged,
  "IC-21": judgePausing,
  "IC-22": judgeWaiting,
  "IC-23": judgeKept("Cluster", false),
  "IM-24": judgePausing,
  "IM-25": judgeMachine,
  "BC-20": judgeSecretName,
  "BC-22": judgePausing,
  "IP-16": judgeClaims,
  "CP-23": judgeMachineLabels,
  "CP-37": judgePlacement,
  "CP-38": judgePropagation,
  "CP-39": judgeUpToDate,
  "CP-40": () => [na("nothing advertises updates in place")],
  "CP-41": judgePausing,
  "CP-42": judgeWaiting,
  "CP-44": judgeKept("Cluster", false),
};

/** IMP-28 and its like: the topology may change a template in a dry run, and only there. */
function judgeDryRun(refused: typeof fail): ProbeCheck {
  return ({ title, role, life }): readonly Judgement[] => {
    if (!role.isTemplate) return [na("the kind is not a template")];
    const trial = life.templates.get(title);
    if (trial === undefined) {
      return [
        unknown("the template has no field that a new one may have otherwise, or the life ended before"),
      ];
    }
    const { path, dryRun, withoutAnnotation, isOpen } = trial;
    if (dryRun !== undefined) return [refused({ path, found: `refused: ${dryRun}`, expected: "accepted" })];
    if (withoutAnnotation === undefined || !isOpen) return [pass()];
    const found = "an immutable template was changed, because the change had the annotation of the topology";
    return [warn({ path, found, expected: "accepted in a dry run only" })];
  };
}

/** The checks of templates. Topology rolls the others of a template out, which no life here does. */
const TEMPLATE_CHECKS: Checks = {
  "IMP-28": judgeDryRun(fail),
  "IM-23": judgeDryRun(fail),
  "BC-22": judgeDryRun(warn),
};

/** The rules on an object of a contract in the life of its Cluster. */
export function probeRulesOf({ contractKind, isTemplate }: ContractRole): readonly ProbeRule[] {
  const prefix = `${CONTRACT_KINDS[contractKind].prefix}-`;
  const own = PROBE_RULES.filter(({ id }) => id.startsWith(prefix));
  if (isTemplate) return own.flatMap((rule) => withCheck(rule, TEMPLATE_CHECKS[rule.id]));
  const lists = contractKind === "InfraMachinePool" ? withCheck(trackedProviderIds, judgeLists) : [];
  // The status of a pool of addresses is not emptied.
  const isEmptied = contractKind !== "IPAMPool";
  const cache = RELEASE_RULES.filter(({ id }) => isEmptied && id === "CTL-39").flatMap((rule) =>
    withCheck(rule, judgeCache),
  );
  return [...own.flatMap((rule) => withCheck(rule, CHECKS[rule.id])), ...lists, ...cache];
}

function withCheck(text: RuleText, check: ProbeCheck | undefined): readonly ProbeRule[] {
  return check === undefined ? [] : [{ ...text, check }];
}
