import { CONTRACT_KINDS, type ContractRole } from "../crd/contract-kinds.ts";
import { trackedProviderIds } from "../objects/pools.ts";
import { RELEASE_RULES } from "../release/rules.ts";
import { type RuleText, unknown } from "../rule.ts";
import { judgeCache, judgeSecretName } from "./cache.ts";
import { judgeDryRun } from "./dry-run.ts";
import { judgeGone, judgeKept } from "./keeping.ts";
import { judgeLists, judgeMachines } from "./lists.ts";
import { judgePausing } from "./pausing.ts";
import { PROBE_RULES } from "./rules.ts";
import type { ProbeRule } from "./subject.ts";

type Checks = { readonly [id: string]: ProbeRule["check"] };

const CHECKS: Checks = {
  "IMP-21": judgeMachines,
  "IMP-25": judgePausing,
  "IMP-30": judgeKept("MachinePool", true),
  "IMP-33": judgeGone,
  "IC-21": judgePausing,
  "IC-23": judgeKept("Cluster", false),
  "IM-24": judgePausing,
  "BC-20": judgeSecretName,
  "BC-22": judgePausing,
  "CP-41": judgePausing,
  "CP-44": judgeKept("Cluster", false),
};

/** Of templates. Topology rolls the others of a template out, which no life here does. */
const TEMPLATE_CHECKS: Checks = { "IMP-28": judgeDryRun, "IM-23": judgeDryRun, "BC-22": judgeDryRun };

/** Why the life of a probe does not decide a rule. */
const UNDECIDED: { readonly [id: string]: string } = {
  "IC-20": "the probe makes no object that another manager keeps (managed-by)",
  "IC-22": "the probe makes no Cluster whose endpoint comes from elsewhere",
  "IM-25": "the probe does not delete a machine before its Machine",
  "IP-16": "the probe makes no claims of addresses",
  "CP-23": "the probe does not look at Machines of the control plane",
  "CP-37": "the probe does not know which failure domains are free",
  "CP-38": "the probe changes no metadata of the control plane",
  "CP-39": "the probe does not look at Machines of the control plane",
  "CP-40": "the probe has no runtime extension for updates in place",
  "CP-42": "the probe makes no Cluster whose endpoint comes from elsewhere",
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

function withCheck(text: RuleText, check: ProbeRule["check"] | undefined): readonly ProbeRule[] {
  return check === undefined ? [] : [{ ...text, check }];
}

function undecided({ id }: RuleText): ProbeRule["check"] {
  return () => [unknown(UNDECIDED[id] ?? "the probe does not try this")];
}
