import { CLUSTER_GROUP } from "../../../api/kinds.ts";

/** Contracts between core and a kind of a provider, and the prefix of their rules' ids. */
export const CONTRACT_KINDS = {
  InfraMachinePool: { prefix: "IMP" },
  ControlPlane: { prefix: "CP" },
  InfraCluster: { prefix: "IC" },
  InfraMachine: { prefix: "IM" },
  BootstrapConfig: { prefix: "BC" },
  IPAMPool: { prefix: "IP" },
} as const;
export type ContractKindName = keyof typeof CONTRACT_KINDS;

/** A contract, and whether it is that of the kind itself or of its template. */
export interface ContractRole {
  readonly contractKind: ContractKindName;
  readonly isTemplate: boolean;
}

const TEMPLATE = /Template$/;

/** First match counts. Without `group` the suffix decides alone. */
const SUFFIXES: readonly {
  readonly suffix: string;
  readonly group?: (labels: readonly string[]) => boolean;
  readonly contractKind: ContractKindName;
}[] = [
  { suffix: "MachinePool", contractKind: "InfraMachinePool" },
  { suffix: "ControlPlane", contractKind: "ControlPlane" },
  { suffix: "Cluster", group: has("infrastructure"), contractKind: "InfraCluster" },
  { suffix: "Machine", group: has("infrastructure"), contractKind: "InfraMachine" },
  { suffix: "Config", group: has("bootstrap"), contractKind: "BootstrapConfig" },
  { suffix: "Pool", group: ([first]) => first === "ipam", contractKind: "IPAMPool" },
];

function has(name: string): (labels: readonly string[]) => boolean {
  return (labels) => labels.includes(name);
}

/**
 * Returns the contract that core expects of a kind, by its suffix and group; undefined where core never reads such
 * objects. `named` has the contracts that the user has chosen, by `group/Kind`.
 */
export function contractRoleOf(
  group: string,
  kind: string,
  named: ReadonlyMap<string, ContractRole | undefined> = new Map(),
): ContractRole | undefined {
  const isTemplate = TEMPLATE.test(kind);
  const chosen = `${group}/${kind}`;
  if (named.has(chosen)) return named.get(chosen);
  const own = named.get(chosen.replace(TEMPLATE, ""));
  if (isTemplate && own !== undefined) return { ...own, isTemplate };
  // MachinePool and its like are core's own kinds.
  if (group === CLUSTER_GROUP) return undefined;
  const base = kind.replace(TEMPLATE, "");
  const labels = group.split(".");
  const match = SUFFIXES.find((one) => base.endsWith(one.suffix) && (one.group?.(labels) ?? true));
  if (match === undefined || (isTemplate && match.contractKind === "IPAMPool")) return undefined;
  return { contractKind: match.contractKind, isTemplate };
}

/** Returns `InfraMachinePool`, `InfraMachinePoolTemplate`; null for a kind of no contract. */
export function contractKindText(role: ContractRole | undefined): string | null {
  return role === undefined ? null : `${role.contractKind}${role.isTemplate ? "Template" : ""}`;
}

/**
 * Reads a contract as users name it: `IPAMPool`, `IPAM pool`, `IP`, `InfraMachinePoolTemplate`, `none`. Undefined: none has
 * this name.
 */
export function readContractRole(text: string): { readonly role: ContractRole | undefined } | undefined {
  const name = text.replaceAll(/[\s-]/g, "").toLowerCase();
  if (name === "none") return { role: undefined };
  const isTemplate = name.endsWith("template");
  const base = isTemplate ? name.slice(0, -"template".length) : name;
  for (const [contractKind, { prefix }] of Object.entries(CONTRACT_KINDS)) {
    if (base !== contractKind.toLowerCase() && base !== prefix.toLowerCase()) continue;
    return { role: { contractKind: contractKind as ContractKindName, isTemplate } };
  }
  return undefined;
}
