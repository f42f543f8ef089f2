import { pass, warn } from "../rule.ts";
import { BOOTSTRAP_CONFIG } from "./bootstrap-config.ts";
import { commonRules, poolRules, UNCONTRACTED_RULES } from "./common.ts";
import { CONTRACT_KINDS, type ContractKindName } from "./contract-kinds.ts";
import { CONTROL_PLANE } from "./control-plane.ts";
import { book, type Check, type CrdRule, crdRule } from "./crd-rule.ts";
import { field } from "./fields.ts";
import { INFRA_CLUSTER } from "./infra-cluster.ts";
import { INFRA_MACHINE } from "./infra-machine.ts";
import { INFRA_MACHINE_POOL } from "./infra-machine-pool.ts";

const BOOK = book("ipam");
const MOVE_LABELS = ["move-hierarchy", "move"].map((name) => `clusterctl.cluster.x-k8s.io/${name}`);

const moves: Check = ({ crd: { metadata } }) => {
  const label = MOVE_LABELS.find((name) => Object.hasOwn(metadata.labels, name));
  if (label !== undefined) return [pass({ path: `metadata.labels[${label}]` })];
  return [warn({ path: "metadata.labels", found: "absent", expected: MOVE_LABELS.join(" or ") })];
};

/** Rules on the CRD of a pool of addresses, by section 4A of the contract. */
const IPAM_POOL: readonly CrdRule[] = [
  crdRule({
    id: "IP-13",
    level: "SHOULD",
    sentence: "`status.conditions` is a list",
    effect: "core never reads it; users cannot see why a pool gives no addresses",
    source: BOOK,
    check: field({ field: "status.conditions", type: "array of object", absent: "warn" }),
  }),
  crdRule({
    id: "IP-14",
    level: "SHOULD",
    sentence:
      "The CRD or its objects have the label `clusterctl.cluster.x-k8s.io/move-hierarchy` or `clusterctl.cluster.x-k8s.io/move`",
    effect:
      "`clusterctl move` leaves the pool behind; the label with the name of a Cluster, which the book asks for, moves nothing",
    source: "cmd/clusterctl/client/cluster/objectgraph.go",
    check: moves,
  }),
];

/** Rules beyond the common ones. */
const FIELD_RULES: { readonly [contract in ContractKindName]: readonly CrdRule[] } = {
  InfraMachinePool: INFRA_MACHINE_POOL,
  ControlPlane: CONTROL_PLANE,
  InfraCluster: INFRA_CLUSTER,
  InfraMachine: INFRA_MACHINE,
  BootstrapConfig: BOOTSTRAP_CONFIG,
  IPAMPool: IPAM_POOL,
};

/** Rules of one kind of contract. */
export interface CrdRules {
  /** Judged once, under the newest contract that the CRD claims. */
  readonly once: readonly CrdRule[];
  /** Judged under each contract that the CRD claims. */
  readonly each: readonly CrdRule[];
}

const RULES_OF = new Map(
  Object.entries(CONTRACT_KINDS).map(([name, { prefix }]): readonly [string, CrdRules] => {
    const own = FIELD_RULES[name as ContractKindName];
    // Core never reads pools of addresses: they have one contract.
    if (name === "IPAMPool") return [name, { once: [...poolRules(), ...own], each: [] }];
    // The release is the same under each contract.
    const once = [...commonRules(prefix), ...own.filter(({ artefact }) => artefact === "A2")];
    return [name, { once, each: own.filter(({ artefact }) => artefact !== "A2") }];
  }),
);

const UNCONTRACTED: CrdRules = { once: UNCONTRACTED_RULES, each: [] };

/** The rules on a CRD; those of kinds of no contract for undefined. */
export function crdRulesOf(contractKind: ContractKindName | undefined): CrdRules {
  return (contractKind === undefined ? undefined : RULES_OF.get(contractKind)) ?? UNCONTRACTED;
}

/** Every rule on CRDs. */
export const CRD_RULES: readonly CrdRule[] = [...RULES_OF.values(), UNCONTRACTED].flatMap(
  ({ once, each }) => [...once, ...each],
);
