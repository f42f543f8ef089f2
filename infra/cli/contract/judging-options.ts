import { InvalidArgumentError, Option } from "commander";
import { ALL_RULES } from "../../../shared/contract/rules/all.ts";
import { type ContractRole, readContractRole } from "../../../shared/contract/rules/crd/contract-kinds.ts";
import { checkWaivers, readWaiver } from "../../providers/contract/waivers.ts";

export function waiveOption(): Option {
  return new Option("--waive <waiver>", "RULE=REASON: do not count findings of this rule (repeatable)")
    .argParser(addWaiver)
    .default(new Map(), "none");
}

export function asOption(): Option {
  return new Option("--as <kind>", "GROUP/KIND=CONTRACT: judge a kind by this contract or none (repeatable)")
    .argParser(addRole)
    .default(new Map(), "by its name");
}

export function failOnOption(): Option {
  return new Option("--fail-on <verdict>", "end with 1 for it").choices(["fail", "warn"]).default("fail");
}

export function verboseOption(): Option {
  return new Option("--verbose", "print what passes, does not apply or is not known, too");
}

export function outputOption(): Option {
  return new Option("-o, --output <format>", "report format")
    .choices(["text", "json", "sarif"])
    .default("text");
}

function addWaiver(text: string, waivers: Map<string, string>) {
  try {
    const [rule, reason] = readWaiver(text);
    waivers.set(rule, reason);
    checkWaivers(waivers, new Set(ALL_RULES.map(({ id }) => id)));
    return waivers;
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? `${error.message}.` : String(error));
  }
}

function addRole(text: string, roles: Map<string, ContractRole | undefined>) {
  const [, kind = "", contract = ""] = /^([^/=\s]+\/[^/=\s]+)=(.+)$/.exec(text) ?? [];
  if (kind === "") throw new InvalidArgumentError("Write GROUP/KIND=CONTRACT.");
  const named = readContractRole(contract);
  if (named === undefined) {
    throw new InvalidArgumentError(
      `Contract ${contract} is unknown; write InfraMachinePool, ControlPlane, InfraCluster, InfraMachine, BootstrapConfig, IPAMPool or none.`,
    );
  }
  return roles.set(kind, named.role);
}
