import { Command, Option } from "commander";
import { ALL_RULES } from "../../../shared/contract/rules/all.ts";
import type { RuleText } from "../../../shared/contract/rules/rule.ts";
import { linkTo } from "../../contract/links.ts";
import { tableLines } from "../table.ts";
import { print, printJson } from "../terminal/print.ts";

export function listCommand(): Command {
  return new Command("list")
    .description("Print every rule: id, level, the artefact that decides it, and the requirement")
    .addOption(
      new Option("-o, --output <format>", "table or json").choices(["table", "json"]).default("table"),
    )
    .action(({ output }: { readonly output: string }) => {
      if (output === "json") printJson(ALL_RULES.map(toJson));
      else print(...ruleTable(ALL_RULES));
    });
}

function toJson({ id, level, contracts, artefact, sentence, effect, source }: RuleText): object {
  return { id, level, contracts, artefact, sentence, effect, source: linkTo(source) };
}

function ruleTable(rules: readonly RuleText[]): readonly string[] {
  return tableLines(
    ["RULE", "LEVEL", "CONTRACT", "ARTEFACT", "REQUIREMENT"],
    rules.map((rule) => [rule.id, levelText(rule), contractText(rule), rule.artefact, rule.sentence]),
  );
}

/** `MUST`; `MAY, SHOULD` where it is MAY under v1beta1 and SHOULD under v1beta2. */
export function levelText({ level }: RuleText): string {
  return typeof level === "string" ? level : `${level.v1beta1}, ${level.v1beta2}`;
}

/** `both`, or the only one. */
export function contractText({ contracts }: RuleText): string {
  return contracts.length > 1 ? "both" : contracts.join();
}
