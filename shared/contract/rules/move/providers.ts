import { parseVersion } from "../release/version.ts";
import { fail, type Judgement, na } from "../rule.ts";
import { at, MOVER, targetRule } from "./move-rule.ts";
import type { InstalledProvider, MoveTarget } from "./subject.ts";

export const targetHasProviders = targetRule(
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
