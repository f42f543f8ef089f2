import { CONTRACT_KINDS, type ContractRole } from "../crd/contract-kinds.ts";
import { trackedProviderIds } from "../objects/pools.ts";
import { RELEASE_RULES } from "../release/rules.ts";
import { fail, na, type RuleText, warn } from "../rule.ts";
import { judgeCache, judgeSecretName } from "./cache.ts";
import { judgeClaims } from "./claims.ts";
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
