import { ALL_RULES, prefixOf, RULE_GROUPS } from "../../../shared/contract/rules/all.ts";
import type { RuleText } from "../../../shared/contract/rules/rule.ts";
import { alignedTable } from "../../platform/markdown-table.ts";
import { linkTo } from "../../providers/contract/links.ts";
import { contractText, levelText } from "./list.ts";

const HEADER = ["Rule", "Level", "Contract", "Artefact", "Requirement", "Where it does not hold", "Source"];

/** Returns a table of the rules of each contract, for the reference page. */
export function rulesReference(): string {
  const sections = RULE_GROUPS.flatMap(({ prefix, title }) => {
    const own = ALL_RULES.filter(({ id }) => prefixOf(id) === prefix);
    return own.length === 0 ? [] : [`### ${title}\n\n${alignedTable(HEADER, own.map(cellsOf))}`];
  });
  return sections.join("\n\n");
}

function cellsOf(rule: RuleText): readonly string[] {
  const { id, artefact, sentence, effect, source } = rule;
  const name = source.split("/").slice(-1).join("");
  return [
    id,
    levelText(rule),
    contractText(rule),
    artefact,
    sentence,
    effect,
    `[${name}](${linkTo(source)})`,
  ];
}
