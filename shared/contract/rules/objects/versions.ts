import type SemVer from "semver/classes/semver.js";
import { parseVersion } from "../../../api/kubernetes-version.ts";
import { valueAt } from "../../../api/path.ts";
import { controlPlanePath } from "../../control-plane.ts";
import { fail, type Judgement, na, shown } from "../rule.ts";
import { objectRule } from "./judgements.ts";

const PATH = "status.versions";
/** The most entries that the schema of the book allows. */
const MAX_ENTRIES = 100;

export const orderedVersions = objectRule({
  id: "CP-20",
  level: "MUST",
  contracts: ["v1beta2"],
  sentence:
    "`status.versions` are semantic versions from the oldest to the newest, and `replicas` are not negative",
  effect: "core takes the list for an error and does not fall back to `status.version`",
  source: "internal/contract/controlplane.go",
  check({ object, contract }) {
    const versions = valueAt(object, PATH);
    if (versions === undefined || versions === null) return [na(`${PATH} is absent`)];
    if (!Array.isArray(versions))
      return [fail({ path: PATH, found: "no list", expected: "a list of objects" })];
    const hasReplicas = valueAt(object, controlPlanePath(contract, "desiredReplicas")) !== undefined;
    return judgeEntries(versions.slice(0, MAX_ENTRIES), hasReplicas);
  },
});

function judgeEntries(entries: readonly unknown[], hasReplicas: boolean): readonly Judgement[] {
  const judgements: Judgement[] = [];
  let newest: SemVer | undefined;
  for (const [index, entry] of entries.entries()) {
    const path = `${PATH}[${index}]`;
    const found = memberOf(entry, "version");
    const version = typeof found === "string" ? parseVersion(found) : undefined;
    if (version === undefined) {
      judgements.push(fail({ path: `${path}.version`, found: shown(found), expected: "a semantic version" }));
    } else if (newest !== undefined && isOlder(version, newest)) {
      judgements.push(
        fail({
          path: `${path}.version`,
          found: `${shown(found)} after ${newest.raw}`,
          expected: "oldest first",
        }),
      );
    } else newest = version;
    judgements.push(...judgeReplicas(memberOf(entry, "replicas"), `${path}.replicas`, hasReplicas));
  }
  return judgements;
}

function judgeReplicas(replicas: unknown, path: string, hasReplicas: boolean): readonly Judgement[] {
  if (replicas === undefined && !hasReplicas) return [];
  const isCount = typeof replicas === "number" && Number.isInteger(replicas) && replicas >= 0;
  return isCount ? [] : [fail({ path, found: shown(replicas), expected: "a count of 0 or more" })];
}

function isOlder(a: SemVer, b: SemVer): boolean {
  return (a.compare(b) || a.compareBuild(b)) < 0;
}

function memberOf(entry: unknown, member: string): unknown {
  return typeof entry === "object" && entry !== null ? Reflect.get(entry, member) : undefined;
}
