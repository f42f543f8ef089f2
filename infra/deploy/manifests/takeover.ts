import { RIGHTS, RIGHTS_BESIDE_CORE, RIGHTS_ON_MAKERS } from "../../operate/takeover/rights.ts";
import type { Manifest } from "../deployment.ts";
import { clusterRole, clusterRoleBinding, serviceAccount } from "../rbac.ts";
import type { PolicyRule } from "../rights.ts";
import { NAMESPACE } from "./deployments.ts";

const NAME = "capstan-takeover";

/**
 * Returns the account of `capstan takeover`. Its rights beside Cluster API's manager are a role of their own, which an
 * operator binds in the namespace of that manager.
 */
export function takeoverAccount(): readonly Manifest[] {
  return [
    serviceAccount(NAME, NAMESPACE),
    clusterRole(NAME, [...RIGHTS, RIGHTS_ON_MAKERS].map(toRule)),
    clusterRoleBinding(NAME, NAME, NAMESPACE),
    clusterRole(`${NAME}-leases`, RIGHTS_BESIDE_CORE.map(toRule)),
  ];
}

function toRule({ verbs, kind }: (typeof RIGHTS)[number]): PolicyRule {
  return { apiGroups: [kind.group], resources: [kind.plural], verbs: [...verbs] };
}
