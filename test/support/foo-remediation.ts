import type { KubeObject, OwnerReference } from "../../shared/api/kinds.ts";
import { crd, merge, type Overrides } from "./builders.ts";

/** The kinds of an external controller that remediates Machines on request. */

export const REMEDIATION_GROUP = "infrastructure.cluster.x-k8s.io";
const apiVersion = `${REMEDIATION_GROUP}/v1`;
export const REMEDIATION_CRDS = [
  crd(REMEDIATION_GROUP, "FooRemediation"),
  crd(REMEDIATION_GROUP, "FooRemediationTemplate"),
];

/** Of a health check whose requests are made from template `t`. */
export const templateRef = { apiVersion, kind: "FooRemediationTemplate", name: "t" };

/** Owner reference to a Machine. */
export function machineOwner(name: string, uid = `uid-${name}`): OwnerReference {
  return { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", name, uid };
}

/** The request for a Machine, which owns it; three hours old at `NOW`. */
export function fooRemediation(name = "m1", metadata: Overrides<KubeObject["metadata"]> = {}): KubeObject {
  const plain = {
    name,
    namespace: "default",
    uid: `uid-r-${name}`,
    resourceVersion: "5",
    creationTimestamp: "2026-01-01T09:00:00Z",
    ownerReferences: [machineOwner(name)],
  };
  return merge<KubeObject>({ apiVersion, kind: "FooRemediation", metadata: plain }, { metadata });
}
