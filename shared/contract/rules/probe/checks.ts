import { CONTRACT_KINDS, type ContractRole } from "../crd/contract-kinds.ts";
import { trackedProviderIds } from "../objects/pools.ts";
import { RELEASE_RULES } from "../release/rules.ts";
import { fail, na, type RuleText, unknown, warn } from "../rule.ts";
import { judgeCache, judgeSecretName } from "./cache.ts";
import { judgeMachineLabels, judgePlacement, judgePropagation, judgeUpToDate } from "./control-plane.ts";
import { judgeDryRun } from "./dry-run.ts";
import { judgeWaiting } from "./endpoint.ts";
import { judgeGone, judgeKept } from "./keeping.ts";
import { judgeLists, judgeMachines } from "./lists.ts";
import { judgeMachine } from "./machines.ts";
import { judgeManaged } from "./managed.ts";
import { judgePausing } from "./pausing.ts";
import { PROBE_RULES } from "./rules.ts";
import type { ProbeCheck, ProbeRule } from "./subject.ts";

type Checks = { readonly [id: string]: ProbeCheck };

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
  "CP-23": judgeMachineLabels,
  "CP-37": judgePlacement,
  "CP-38": judgePropagation,
  "CP-39": judgeUpToDate,
  "CP-40": () => [na("nothing advertises updates in place")],
  "CP-41": judgePausing,
  "CP-42": judgeWaiting,
  "CP-44": judgeKept("Cluster", false),
};

/** Of templates. Topology rolls the others of a template out, which no life here does. */
const TEMPLATE_CHECKS: Checks = {
  "IMP-28": judgeDryRun(fail),
  "IM-23": judgeDryRun(fail),
  "BC-22": judgeDryRun(warn),
};

/** Why the life of a probe does not decide a rule. */
const UNDECIDED: { readonly [id: string]: string } = {
  "IP-16": "the probe makes no claims of addresses",
};

/** The rules on an object of a contract in the life of its Cluster. */
export function probeRulesOf({ contractKind, isTemplate }: ContractRole): readonly ProbeRule[] {
  const prefix = `${CONTRACT_KINDS[contractKind].prefix}-`;
  const own = PROBE_RULES.filter(({ id }) => id.startsWith(prefix));
  if (isTemplate) return own.flatMap((rule) => withCheck(rule, TEMPLATE_CHECKS[rule.id]));
  const lists = contractKind === "InfraMachinePool" ? withCheck(trackedProviderIds, judgeLists) : [];
  const cache = RELEASE_RULES.filter(({ id }) => id === "CTL-39").flatMap((rule) =>
    withCheck(rule, judgeCache),
  );
  const decided = own.filter(({ id }) => CHECKS[id] !== undefined || TEMPLATE_CHECKS[id] === undefined);
  return [
    ...decided.flatMap((rule) => withCheck(rule, CHECKS[rule.id] ?? undecided(rule))),
    ...lists,
    ...cache,
  ];
}

function withCheck(text: RuleText, check: ProbeCheck | undefined): readonly ProbeRule[] {
  return check === undefined ? [] : [{ ...text, check }];
}

function undecided({ id }: RuleText): ProbeCheck {
  return () => [unknown(UNDECIDED[id] ?? "the probe does not try this")];
}
