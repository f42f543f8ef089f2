import type { ContractRole } from "../crd/contract-kinds.ts";
import { bootMark, bootstrapSecret } from "./bootstrap-data.ts";
import { claimedAddresses } from "./claims.ts";
import { certificateSecrets, clientCertificate, kubeconfigSecret } from "./cluster-secrets.ts";
import { ownerChain } from "./lineage.ts";
import { readyCondition, trackedProviderIds } from "./pools.ts";
import type { ObjectRule } from "./subject.ts";
import { orderedVersions } from "./versions.ts";

/** Rules on the Secrets of a Cluster, which its control plane object decides where there is one. */
export const CLUSTER_SECRET_RULES: readonly ObjectRule[] = [
  kubeconfigSecret,
  clientCertificate,
  certificateSecrets,
];

/** Rules that an object decides, with those around it (A3). Beside them is CTL-37, which is a rule of releases too. */
export const OBJECT_RULES: readonly ObjectRule[] = [
  readyCondition,
  trackedProviderIds,
  bootstrapSecret,
  bootMark,
  claimedAddresses,
  orderedVersions,
  ...CLUSTER_SECRET_RULES,
];

const RULES_OF: { readonly [contract in ContractRole["contractKind"]]: readonly ObjectRule[] } = {
  InfraMachinePool: [readyCondition, trackedProviderIds],
  ControlPlane: [orderedVersions, ...CLUSTER_SECRET_RULES],
  BootstrapConfig: [bootstrapSecret, bootMark],
  IPAMPool: [claimedAddresses],
  InfraCluster: [],
  InfraMachine: [],
};

/** The rules on an object of a contract; templates and every other object have to move. */
export function objectRulesOf(role: ContractRole | undefined): readonly ObjectRule[] {
  return [...(role === undefined || role.isTemplate ? [] : RULES_OF[role.contractKind]), ownerChain];
}
