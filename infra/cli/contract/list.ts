import { type Command, Option } from "commander";
import { ALL_RULES } from "../../../shared/contract/rules/all.ts";
import { MOVE_RULES } from "../../../shared/contract/rules/move/rules.ts";
import type { RuleText } from "../../../shared/contract/rules/rule.ts";
import { print, printError, printJson } from "../../platform/terminal/print.ts";
import { tableLines } from "../../platform/terminal/table.ts";
import { linkTo } from "../../providers/contract/finding.ts";
import { exitAsWronglyCalled } from "../options.ts";

export function listCommand(command: Command): Command {
  return command
    .addOption(
      new Option("-o, --output <format>", "table or json").choices(["table", "json"]).default("table"),
    )
    .action(({ output }: { readonly output: string }) => {
      if (output === "json") printJson(ALL_RULES.map(toJson));
      else print(...ruleTable(ALL_RULES));
    });
}

/** Prints everything that is known of one rule, for people who have a finding in front of them. */
export function explainCommand(command: Command): Command {
  return command
    .argument("<rule>", "its id, as findings and `contract list` show it, such as IMP-13")
    .addOption(new Option("-o, --output <format>", "text or json").choices(["text", "json"]).default("text"))
    .exitOverride(exitAsWronglyCalled)
    .action((id: string, { output }: { readonly output: string }) => {
      const rule = [...ALL_RULES, ...MOVE_RULES].find((one) => one.id === id.toUpperCase());
      if (rule === undefined) {
        printError(`no rule has the id ${id}; capstan contract list shows all`);
        process.exitCode = 2;
      } else if (output === "json") printJson(toJson(rule));
      else print(...explanation(rule));
    });
}

function explanation(rule: RuleText): readonly string[] {
  const contracts = rule.contracts.length > 1 ? "both contracts" : `the contract ${rule.contracts.join()}`;
  return [
    `${rule.id}, ${levelText(rule)}, under ${contracts}`,
    `${rule.sentence}.`,
    `Where it is broken: ${rule.effect}.`,
    `Decided by ${ARTEFACTS[rule.artefact]}.`,
    `Source: ${linkTo(rule.source)}`,
    ...(rule.artefact === "MOVE" ? [] : [`To accept it: --waive ${rule.id}=REASON`]),
  ];
}

const ARTEFACTS: { readonly [artefact in RuleText["artefact"]]: string } = {
  A1: "a CRD: capstan contract check FILE",
  A2: "a release: capstan contract check FOLDER",
  "A1+A2": "a CRD with its release: capstan contract check FOLDER",
  A3: "objects: capstan contract check --live",
  A4: "a running provider: capstan contract probe",
  "A3/A4": "objects or a running provider: capstan contract check --live, capstan contract probe",
  "A2/A4": "a release and a running provider: capstan contract probe",
  MOVE: "a Cluster between two management clusters: capstan move plan",
};

function toJson({ id, level, contracts, artefact, sentence, effect, source }: RuleText): object {
  return { id, level, contracts, artefact, sentence, effect, source: linkTo(source) };
}

function ruleTable(rules: readonly RuleText[]): readonly string[] {
  return tableLines(
    ["RULE", "LEVEL", "CONTRACT", "ARTEFACT", "REQUIREMENT"],
    rules.map((rule) => [rule.id, levelText(rule), contractText(rule), rule.artefact, rule.sentence]),
  );
}

/** Returns `MUST`; `MAY, SHOULD` where it is MAY under v1beta1 and SHOULD under v1beta2. */
export function levelText({ level }: RuleText): string {
  return typeof level === "string" ? level : `${level.v1beta1}, ${level.v1beta2}`;
}

/** Returns `both`, or the only one. */
export function contractText({ contracts }: RuleText): string {
  return contracts.length > 1 ? "both" : contracts.join();
}
