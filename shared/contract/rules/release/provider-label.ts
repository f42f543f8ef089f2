/** Prefix of a provider's label, without its dash, and of its components file. */
type ProviderType =
  | "core"
  | "bootstrap"
  | "control-plane"
  | "infrastructure"
  | "ipam"
  | "runtime-extension"
  | "addon";

const PREFIXED: readonly ProviderType[] = [
  "bootstrap",
  "control-plane",
  "infrastructure",
  "ipam",
  "runtime-extension",
  "addon",
];

export const CORE_LABEL = "cluster-api";

/** A provider as its label names it. */
export interface ProviderId {
  readonly type: ProviderType;
  readonly name: string;
}

/** Returns undefined for a label that no provider can have: no known prefix, and not that of core. */
export function providerOf(label: string): ProviderId | undefined {
  if (label === CORE_LABEL) return { type: "core", name: label };
  const type = PREFIXED.find((prefix) => label.startsWith(`${prefix}-`) && label.length > prefix.length + 1);
  return type === undefined ? undefined : { type, name: label.slice(type.length + 1) };
}

/** The name that the contract recommends for the components of a provider. */
export function componentsFileName(label: string): string {
  return `${providerOf(label)?.type ?? "core"}-components.yaml`;
}
