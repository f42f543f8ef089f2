import type { ContractVersion } from "../../../shared/api/kinds.ts";
import { undecidedByCrd } from "../../../shared/contract/rules/all.ts";
import {
  type ContractRole,
  contractKindText,
  contractRoleOf,
} from "../../../shared/contract/rules/crd/contract-kinds.ts";
import type { CrdRule } from "../../../shared/contract/rules/crd/crd-rule.ts";
import { crdRulesOf } from "../../../shared/contract/rules/crd/rules.ts";
import type {
  AggregatedRights,
  CrdSubject,
  ReleaseAround,
} from "../../../shared/contract/rules/crd/subject.ts";
import { type Artefact, type Rule, unknown } from "../../../shared/contract/rules/rule.ts";
import { claimsOf } from "../../../shared/contract/version.ts";
import type { Finding, ReportedCrd } from "./finding.ts";
import { type Case, judge } from "./judge.ts";
import type { PlacedCrd } from "./read-crd.ts";
import type { Waivers } from "./waivers.ts";

export interface CrdOptions {
  /** Contracts that the user has chosen, by `group/Kind`. */
  readonly named: ReadonlyMap<string, ContractRole | undefined>;
  /** The version for CRDs without a contract label. */
  readonly assumed: ContractVersion;
  readonly waivers: Waivers;
  readonly release?: ReleaseAround | undefined;
  /** Rights in the ClusterRoles of the same file or folder, where that is not a release. */
  readonly aggregated?: AggregatedRights | undefined;
}

/** Judges CRDs by the rules of their contracts, under each contract version that they claim. */
export function judgeCrds(crds: readonly PlacedCrd[], options: CrdOptions): readonly Finding[] {
  return crds.flatMap((one) => judgeCrd(one, options));
}

/** The CRD as reports list it. */
export function reportedCrd({ crd }: PlacedCrd, { named }: Pick<CrdOptions, "named">): ReportedCrd {
  const role = contractRoleOf(crd.group, crd.names.kind, named);
  const [claim] = claimsOf(crd);
  return {
    name: crd.metadata.name,
    kind: crd.names.kind,
    contractKind: contractKindText(role),
    contract: claim?.contract ?? null,
    version: claim?.version ?? null,
  };
}

function judgeCrd(placed: PlacedCrd, options: CrdOptions): readonly Finding[] {
  const { crd } = placed;
  const role = contractRoleOf(crd.group, crd.names.kind, options.named);
  const cases = casesOf(placed, role, options);
  const isTemplate = role?.isTemplate === true;
  const { once, each } = crdRulesOf(role?.contractKind);
  const applies = ({ on }: CrdRule) => on === "both" || on === (isTemplate ? "template" : "kind");
  const undecided = role === undefined || isTemplate ? [] : undecidedByCrd(role.contractKind).map(toUnknown);
  const effective = cases.slice(0, 1);
  return [
    ...judge([...once.filter(applies), ...undecided], effective, options.waivers),
    ...judge(each.filter(applies).map(assuming), cases, options.waivers),
  ];
}

/** One case for each contract that the CRD claims, newest first. */
function casesOf(
  { crd, place }: PlacedCrd,
  role: ContractRole | undefined,
  { assumed, release, aggregated }: CrdOptions,
): readonly Case<CrdSubject>[] {
  const claims = claimsOf(crd);
  const storage = crd.versions.find((version) => version.storage)?.name ?? "";
  const passes = claims.length > 0 ? claims : [{ contract: assumed, version: storage }];
  return passes.map(({ contract, version }, index) => ({
    place,
    contract,
    subject: {
      crd,
      contractKind: role?.contractKind,
      isTemplate: role?.isTemplate === true,
      contract,
      isEffective: index === 0,
      isAssumed: claims.length === 0,
      picked: { name: version, version: crd.versions.find(({ name }) => name === version) },
      release,
      aggregated,
    },
  }));
}

/** Says in each judgement that the contract is a guess. */
function assuming(rule: CrdRule): CrdRule {
  return {
    ...rule,
    check: (subject) => {
      const said = rule.check(subject);
      if (!subject.isAssumed) return said;
      const guess = `assumed contract ${subject.contract}`;
      return said.map((one) => ({
        ...one,
        found: one.found === undefined ? guess : `${one.found} (${guess})`,
      }));
    },
  };
}

const DECIDES: { readonly [artefact in Artefact]?: string } = {
  A3: "only an object (A3) decides this: capstan contract check --live",
  A4: "only a running provider (A4) decides this: capstan contract probe",
  "A3/A4": "only objects or a running provider (A3, A4) decide this: capstan contract check --live, probe",
  "A2/A4": "only the release and a running provider (A2, A4) decide this: capstan contract probe",
};

/** A rule on something else: for a CRD it says only what would decide it. */
function toUnknown(rule: ReturnType<typeof undecidedByCrd>[number]): Rule<CrdSubject> {
  const { id, level, contracts, artefact, sentence, effect, source } = rule;
  const why = DECIDES[artefact] ?? `only ${artefact} decides this`;
  return { id, level, contracts, artefact, sentence, effect, source, check: () => [unknown(why)] };
}
