import { loadAll } from "js-yaml";
import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../../infra/deploy/deployment.ts";
import { base } from "../../../../infra/deploy/manifests/base.ts";
import { serverProcesses } from "../../../../infra/deploy/manifests/deployments.ts";
import { manifestFiles, rightsTable } from "../../../../infra/deploy/manifests/files.ts";
import type { PolicyRule } from "../../../../infra/deploy/rights.ts";
import { compareText } from "../../../../shared/rules/conditions/conditions.ts";

const [processes, files, whole] = await Promise.all([serverProcesses(), manifestFiles(), base()]);
const table = rightsTable(whole.files);

/** `capstan-relay get secrets`, from every role in the manifests of an account. */
function grantedIn(account: string): readonly string[] {
  const manifests = loadAll(files.get(`base/${account}.yaml`) ?? "") as readonly Manifest[];
  const rules = manifests.flatMap(({ ["rules"]: rules = [] }) => rules as readonly PolicyRule[]);
  return rules.flatMap(({ apiGroups: [group = ""], resources, resourceNames = [""], verbs }) =>
    resources.flatMap((resource) =>
      resourceNames.flatMap((name) => {
        const place = resource.replace(/^[^/]+/, (plural) => (group === "" ? plural : `${plural}.${group}`));
        return verbs.map((verb) => [account, verb, place, name].filter((part) => part !== "").join(" "));
      }),
    ),
  );
}

function listedIn(table: string): readonly string[] {
  const [header = [], , ...rows] = table.split("\n").map((line) => {
    const cells = line.split("|").slice(1, -1);
    return cells.map((cell) => cell.trim().replaceAll("`", ""));
  });
  return rows.flatMap(([resource = "", ...cells]) =>
    cells.flatMap((cell, at) =>
      cell
        .split(", ")
        .filter((verb) => verb !== "")
        .map((verb) => `${header[at + 1]} ${verb} ${resource.replace(/ in capstan-system$/, "")}`),
    ),
  );
}

describe("the table of rights", () => {
  it("has each right of each account of the base, and no other one", () => {
    const granted = [...processes.map(({ name }) => name), "capstan-webhook"].flatMap(grantedIn);
    expect(listedIn(table).toSorted(compareText)).toEqual(granted.toSorted(compareText));
  });

  it("shows workers of core no Secret, and no account that may delete one", () => {
    const onSecrets = listedIn(table).filter((right) => right.endsWith(" secrets"));
    expect(onSecrets).toEqual([
      "capstan-relay get secrets",
      "capstan-worker-workload get secrets",
      "capstan-worker-credentials create secrets",
      "capstan-worker-credentials get secrets",
      "capstan-worker-credentials patch secrets",
      "capstan-webhook create secrets",
    ]);
  });
});
