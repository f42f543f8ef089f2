import type { RawCrd } from "./crds.ts";

/** Contract kinds that core reads by label. */
export const KINDS = ["InfraMachinePool", "ControlPlane", "InfraCluster", "InfraMachine", "BootstrapConfig"];

export const PREFIXES: { readonly [kind: string]: string } = {
  InfraMachinePool: "IMP",
  ControlPlane: "CP",
  InfraCluster: "IC",
  InfraMachine: "IM",
  BootstrapConfig: "BC",
  IPAMPool: "IP",
};

/** A change of the good CRD of a kind, or of its template, that breaks one rule. */
export interface Row {
  readonly verdict: "fail" | "warn";
  readonly rule: string;
  readonly kind: string;
  readonly title: string;
  readonly change: (crd: RawCrd) => void;
  readonly template?: true;
}
