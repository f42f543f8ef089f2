import { parseVersion } from "../release/version.ts";
import { fail, type Judgement, na, type Rule, unknown, warn } from "../rule.ts";
import { notBlocked, oneCluster } from "./blocked.ts";
import { takesAll } from "./left-behind.ts";
import { at, GRAPH, MOVER, moveRule, targetRule } from "./move-rule.ts";
import { keepsOwners } from "./owners-gone.ts";
import { notPaused } from "./paused.ts";
import { placeable } from "./placement.ts";
import { provisioned } from "./provisioned.ts";
import { targetServesKinds } from "./served-kinds.ts";
import type {
  Attempt,
  InstalledProvider,
  MoveObject,
  MoveSubject,
  MoveTarget,
  NamedReference,
} from "./subject.ts";

const targetAccepts = targetRule(
  {
    id: "MV-12",
    level: "MUST",
    sentence: "The target accepts every object of the move set",
    effect: "clusterctl move stops in the middle: the source is paused and a part is on the target",
    source: `${MOVER}, createTargetObject`,
  },
  ({ attempts }) =>
    attempts === undefined
      ? [na("asked for with --try only")]
      : attempts.flatMap((attempt) => judgeAttempt(attempt)),
);

function judgeAttempt({ title, outcome, message }: Attempt): readonly Judgement[] {
  switch (outcome) {
    case "accepted":
    // Then it is overwritten, which MV-09 reports.
    case "exists":
      return [];
    case "refused":
      return [fail({ ...at(title), found: message, expected: "an object that the target creates" })];
    case "no namespace":
      return [
        unknown("not on the target yet, so none of its objects can be tried there", {
          ...at(title),
          expected: "the Namespace on the target, or the risk that a refusal stops the move in the middle",
        }),
      ];
    case "gone":
      return [unknown("it was deleted at the source since it was listed", at(title))];
    default:
      return outcome satisfies never;
  }
}

const absentOnTarget = targetRule(
  {
    id: "MV-09",
    level: "SHOULD",
    sentence: "The target has no object of the move set with another content",
    effect: "clusterctl move overwrites it",
    source: `${MOVER}, createTargetObject`,
  },
  ({ objects }, { unread }) => [
    ...objects
      .filter(({ fate, onTarget }) => fate === "moves" && onTarget === "other")
      .map(({ title, global }) =>
        warn({
          ...at(title),
          found: `another content on the target, which is ${global ? "kept" : "overwritten"}`,
          expected: "the same content, or no such object",
          ...(global ? { effect: "clusterctl move keeps the target's; what moves works with that one" } : {}),
        }),
      ),
    ...unread.map(({ resource, reason }) =>
      unknown(`list ${resource} on the target: ${reason}`, {
        ...at(resource),
        expected: "the right to list it",
      }),
    ),
  ],
);

const targetHasProviders = targetRule(
  {
    id: "MV-01",
    level: "MUST",
    sentence: "The target has every provider of the source's inventory, in the same or a newer version",
    effect: "clusterctl move refuses before it reads an object",
    source: `${MOVER}, checkTargetProviders`,
  },
  ({ providers }, target) =>
    providers.length === 0
      ? [na("the inventory of the source is empty: clusterctl compares no provider")]
      : providers.flatMap((provider) => judgeProvider(provider, target)),
);

function judgeProvider(provider: InstalledProvider, { providers }: MoveTarget): readonly Judgement[] {
  const { title, version } = provider;
  const expected = `${provider.type} ${provider.providerName} ${version} or newer on the target`;
  const wanted = parseVersion(version);
  if (wanted === undefined) {
    return [fail({ ...at(title), path: "version", found: version, expected: "a semantic version" })];
  }
  const same = providers.filter(
    ({ providerName, type }) => providerName === provider.providerName && type === provider.type,
  );
  if (same.length === 0) return [fail({ ...at(title), found: "not on the target", expected })];
  const versions = same.map((each) => parseVersion(each.version));
  if (versions.includes(undefined)) {
    const found = same.map((each) => each.version).join(", ");
    return [fail({ ...at(title), path: "version", found: `on the target ${found}`, expected })];
  }
  const isOld = versions.every((each) => each === undefined || each.compare(wanted) < 0);
  const found = `on the target ${same.map((each) => each.version).join(", ")}`;
  return isOld ? [fail({ ...at(title), path: "version", found, expected })] : [];
}

type ByName = ReadonlyMap<string, readonly MoveObject[]>;

const namesWhatMoves = moveRule(
  {
    id: "MV-07",
    level: "SHOULD",
    sentence: "No object that moves names one that stays",
    effect: "at the target the name leads nowhere until the object is made there",
    source: `${GRAPH}, getMoveNodes`,
  },
  (subject) => {
    const staying = stayingByName(subject);
    return subject.objects
      .filter(({ fate }) => fate === "moves")
      .flatMap((object) => object.references.flatMap((each) => judgeReference(object, each, staying)));
  },
);

function stayingByName({ objects }: MoveSubject): ByName {
  return Map.groupBy(
    objects.filter(({ fate }) => fate !== "moves"),
    ({ kind, name }) => `${kind} ${name}`,
  );
}

function judgeReference(
  object: MoveObject,
  reference: NamedReference,
  staying: ByName,
): readonly Judgement[] {
  const { kind, name, group, path, namespace = object.namespace } = reference;
  const named = (staying.get(`${kind} ${name}`) ?? []).filter(
    (each) =>
      (group === undefined || each.group === group) &&
      (each.namespace === "" || each.namespace === namespace),
  );
  return named.map(({ title }) =>
    warn({ ...at(object.title), path, found: `${title}, which stays`, expected: `${title} on the target` }),
  );
}

/** Rules of `capstan move plan`. */
export const MOVE_RULES: readonly Rule<MoveSubject>[] = [
  targetHasProviders,
  targetServesKinds,
  provisioned,
  notPaused,
  keepsOwners,
  placeable,
  namesWhatMoves,
  takesAll,
  absentOnTarget,
  notBlocked,
  oneCluster,
  targetAccepts,
];
