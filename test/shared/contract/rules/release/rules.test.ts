import { describe, expect, it } from "vitest";
import { readRelease } from "../../../../../infra/providers/clusterctl/release/read-release.ts";
import { NO_VALUES } from "../../../../../infra/providers/clusterctl/render/typed.ts";
import { RELEASE_RULES } from "../../../../../shared/contract/rules/release/rules.ts";
import type { Judgement } from "../../../../../shared/contract/rules/rule.ts";
import { BROKEN_COMPONENTS } from "../../../../support/releases/broken-components.ts";
import { BROKEN_CONTROLLERS } from "../../../../support/releases/broken-controllers.ts";
import { BROKEN_FOLDERS } from "../../../../support/releases/broken-folders.ts";
import { BROKEN_TEMPLATES } from "../../../../support/releases/broken-templates.ts";
import { type Change, filesOf } from "../../../../support/releases/change.ts";
import { GOOD_FILES, storeRelease } from "../../../../support/releases/good-release.ts";

const BROKEN = [...BROKEN_FOLDERS, ...BROKEN_COMPONENTS, ...BROKEN_CONTROLLERS, ...BROKEN_TEMPLATES];

/** The findings of all rules, without passes and rules that do not apply. */
async function found(change: Change): Promise<readonly (Judgement & { readonly rule: string })[]> {
  await using stored = await storeRelease(filesOf(change), change);
  const release = await readRelease(stored.folder, NO_VALUES);
  return RELEASE_RULES.flatMap((rule) =>
    rule.check(release).map((judgement) => ({ rule: rule.id, ...judgement })),
  ).filter(({ verdict }) => verdict === "fail" || verdict === "warn");
}

describe("rules on releases", () => {
  it("find nothing in a good release", async () => {
    expect(await found({})).toEqual([]);
  });

  it("have every id once", () => {
    const ids = Array.from({ length: 43 }, (_, index) => `CTL-${String(index + 1).padStart(2, "0")}`);
    expect(RELEASE_RULES.map(({ id }) => id)).toEqual(ids);
  });

  it("are broken by a release each, but those that need more than one", () => {
    const shown = new Set(BROKEN.map(([rule]) => rule));
    const others = RELEASE_RULES.map(({ id }) => id).filter((id) => !shown.has(id));
    expect(others).toEqual(["CTL-37", "CTL-39", "CTL-40", "CTL-42"]);
  });

  it.each(["CTL-37", "CTL-39", "CTL-40", "CTL-42"])("%s says what would decide it", async (id) => {
    await using stored = await storeRelease(GOOD_FILES);
    const release = await readRelease(stored.folder, NO_VALUES);
    const rule = RELEASE_RULES.find((each) => each.id === id);
    expect(rule?.check(release)).toEqual([{ verdict: "unknown", found: expect.stringContaining("only") }]);
  });

  it.each(BROKEN)("%s is the only one for %s", async (rule, _title, change, finding) => {
    const findings = await found(change);
    expect([...new Set(findings.map((each) => each.rule))]).toEqual([rule]);
    expect(findings).toEqual(expect.arrayContaining([expect.objectContaining(finding)]));
  });
});
