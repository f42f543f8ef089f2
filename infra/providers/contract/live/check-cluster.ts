import { groupOf, type KubeObject } from "../../../../shared/api/kinds.ts";
import { ALL_RULES } from "../../../../shared/contract/rules/all.ts";
import { contractRoleOf } from "../../../../shared/contract/rules/crd/contract-kinds.ts";
import { CRD_RULES } from "../../../../shared/contract/rules/crd/rules.ts";
import { OBJECT_RULES, objectRulesOf } from "../../../../shared/contract/rules/objects/rules.ts";
import { EVERY_CONTRACT, type Rule, type RuleText, unknown } from "../../../../shared/contract/rules/rule.ts";
import type { Clock } from "../../../../shared/runtime/ports.ts";
import type { Server } from "../../../platform/kube/client.ts";
import { typeKey } from "../../clusterctl/move/discovery-types.ts";
import { decided } from "../check.ts";
import type { Finding, Outcome } from "../finding.ts";
import { judge } from "../judge.ts";
import { type CrdOptions, judgeCrds, reportedCrd } from "../judge-crds.ts";
import { isProviderType, judgeObjects, type ObjectOptions } from "../objects/judge-objects.ts";
import { withCheckedWaivers } from "../waivers.ts";
import type { Budget } from "./read-cluster.ts";
import {
  isOtherMoved,
  neededSecrets,
  type ReadCrds,
  type Reading,
  type ReadObjects,
  type Refused,
  readCrds,
  readObjects,
  readSecrets,
} from "./read-cluster.ts";

/** Bounds of everything that one check reads of a cluster. */
const MAX_OBJECTS = 50_000;
const MAX_BYTES = 512 * 1024 * 1024;
const MAX_DURATION_MS = 5 * 60_000;

export function createBudget(clock: Clock): Budget {
  const endsAt = clock.now().getTime() + MAX_DURATION_MS;
  let objects = 0;
  let bytes = 0;
  return {
    take(moreObjects, moreBytes) {
      objects += moreObjects;
      bytes += moreBytes;
      const late = clock.now().getTime() > endsAt;
      if (objects > MAX_OBJECTS) throw tooMuch(`has more than ${MAX_OBJECTS} objects to judge`);
      if (bytes > MAX_BYTES) throw tooMuch(`sent more than ${MAX_BYTES / 1024 / 1024} MiB`);
      if (late) throw tooMuch(`has not answered everything within ${MAX_DURATION_MS / 60_000} minutes`);
    },
  };
}

function tooMuch(what: string): Error {
  return new Error(`the cluster ${what}; judge one namespace with -n`);
}

type LiveOptions = Omit<CrdOptions, "release"> & ObjectOptions;

interface LiveInput {
  readonly server: Server;
  readonly clock: Clock;
  /** The namespace; undefined: all. */
  readonly namespace: string | undefined;
}

/**
 * Judges the CRDs of a cluster and the objects of its providers. Only reads: one list for each kind, one request for each
 * Secret that rules look at. Rules whose objects may not be read are `unknown`. Throws KubeError where the server is away,
 * and an Error where the cluster has more than a check reads.
 */
export async function checkCluster(
  { server, clock, namespace }: LiveInput,
  options: LiveOptions,
): Promise<Outcome> {
  const reading: Reading = { client: server.as("contract-check"), budget: createBudget(clock), namespace };
  const read = await readCrds(reading, options);
  if ("why" in read) {
    const findings = refusedFindings([...CRD_RULES, ...OBJECT_RULES], read, options);
    return { crds: [], findings, problems: [], rules: ALL_RULES };
  }
  const checkedCrds = read.crds.map(withCheckedWaivers);
  const crds = checkedCrds.map(({ one }) => one);
  const objects = await checkObjects(reading, read, options);
  return {
    crds: crds.map((crd) => reportedCrd(crd, options)),
    findings: decided(judgeCrds(crds, options), objects.findings),
    problems: [...checkedCrds.flatMap(({ problem }) => problem ?? []), ...objects.problems],
    rules: ALL_RULES,
  };
}

async function checkObjects(
  reading: Reading,
  crds: ReadCrds,
  options: LiveOptions,
): Promise<Pick<Outcome, "findings" | "problems">> {
  const { objects, refused } = await readObjects(reading, crds, options);
  const roleOf = ({ apiVersion, kind }: KubeObject) =>
    contractRoleOf(groupOf(apiVersion), kind, options.named);
  const secrets = await readSecrets(reading, neededSecrets(objects, roleOf));
  const checked = objects.map(withCheckedWaivers);
  const [anyRefused] = refused.values();
  const findings = judgeObjects(
    {
      objects: checked.map(({ one }) => one),
      secrets: secrets.secrets,
      unseenSecret({ namespace, name }) {
        const why = secrets.refused.get(`${namespace}/${name}`)?.why;
        return { why: why ?? "does not exist", isAbsent: why === undefined };
      },
      partial: (type) => refused.get(typeKey(type))?.why,
      unseenOwner: {
        why: anyRefused?.why ?? "is not among the objects that clusterctl lists",
        isAbsent: anyRefused === undefined,
      },
      crds: crds.crds.map(({ crd }) => crd),
      facts: crds.facts,
      moved: new Set(crds.facts.filter(isOtherMoved).map(typeKey)),
    },
    options,
  );
  return {
    findings: [...findings, ...refusedKinds(crds, refused, options)],
    problems: checked.flatMap(({ problem }) => problem ?? []),
  };
}

/** Rules that a refused list leaves undecided. */
function refusedKinds(
  { facts }: ReadCrds,
  refused: ReadObjects["refused"],
  options: LiveOptions,
): readonly Finding[] {
  return facts.flatMap((kind) => {
    const refusal = refused.get(typeKey(kind));
    if (refusal === undefined || !isProviderType(kind, options)) return [];
    return refusedFindings(
      objectRulesOf(contractRoleOf(kind.group, kind.kind, options.named)),
      refusal,
      options,
    );
  });
}

function refusedFindings(
  rules: readonly RuleText[],
  { resource, why }: Refused,
  { assumed, waivers }: LiveOptions,
): readonly Finding[] {
  const undecided = rules.map(
    ({ id, level, artefact, sentence, effect, source }): Rule<undefined> => ({
      ...{ id, level, contracts: EVERY_CONTRACT, artefact, sentence, effect, source },
      check: () => [unknown(why, { expected: "the right to read it" })],
    }),
  );
  return judge(undecided, [{ subject: undefined, place: { object: resource }, contract: assumed }], waivers);
}
