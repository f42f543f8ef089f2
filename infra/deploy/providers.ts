import type { Kind } from "../../shared/api/kinds.ts";
import { KINDS } from "../../shared/api/registry.ts";
import { type Provider as Label, providerOf } from "../../shared/function/providers.ts";

/** A provider as clusterctl knows it: one folder of the release. */
export interface Provider {
  /** Folder, and value of the label `cluster.x-k8s.io/provider`. */
  readonly label: Label;
  /** Name on the command line of clusterctl. */
  readonly name: string;
  readonly type: "CoreProvider" | "BootstrapProvider" | "ControlPlaneProvider" | "InfrastructureProvider";
  /** File name of its components. */
  readonly components: string;
  /** Namespace unless the user names another; cluster-scoped names start with it. */
  readonly namespace: string;
  /** Name of what it has in that namespace: four providers may share one. */
  readonly app: string;
  /** Prefix of its variables. */
  readonly variables: "CAPSTAN" | "SIM";
}

export const CORE: Provider = {
  label: "cluster-api",
  name: "cluster-api",
  type: "CoreProvider",
  components: "core-components.yaml",
  namespace: "capstan-system",
  app: "capstan-core",
  variables: "CAPSTAN",
};

function sim(prefix: "bootstrap" | "control-plane" | "infrastructure", type: Provider["type"]): Provider {
  const label: Label = `${prefix}-sim`;
  return {
    label,
    name: "sim",
    type,
    components: `${prefix}-components.yaml`,
    namespace: `capstan-${label}-system`,
    app: `capstan-${label}`,
    variables: "SIM",
  };
}

export const INFRASTRUCTURE = sim("infrastructure", "InfrastructureProvider");

/** In the order in which clusterctl installs them. */
export const PROVIDERS: readonly Provider[] = [
  CORE,
  sim("bootstrap", "BootstrapProvider"),
  sim("control-plane", "ControlPlaneProvider"),
  INFRASTRUCTURE,
];

/** Returns the kinds that a provider installs. */
export function kindsOf({ label }: Provider): readonly Kind[] {
  return KINDS.filter(({ group, crd, schema }) => providerOf(group) === label && crd && schema);
}
