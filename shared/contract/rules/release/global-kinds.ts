import { textAt } from "../../../api/path.ts";
import { isClusterScoped } from "./cluster-scoped.ts";
import type { Manifest, ReleaseFile } from "./subject.ts";

/** Kinds without namespace that clusterctl takes for namespaced ones: of Kubernetes 1.34 and of cert-manager. */
const KUBERNETES: ReadonlySet<string> = new Set([
  "admissionregistration.k8s.io/MutatingAdmissionPolicy",
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding",
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy",
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding",
  "apiregistration.k8s.io/APIService",
  "cert-manager.io/ClusterIssuer",
  "certificates.k8s.io/ClusterTrustBundle",
  "flowcontrol.apiserver.k8s.io/FlowSchema",
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration",
  "networking.k8s.io/IPAddress",
  "networking.k8s.io/IngressClass",
  "networking.k8s.io/ServiceCIDR",
  "resource.k8s.io/DeviceClass",
  "resource.k8s.io/ResourceSlice",
  "storage.k8s.io/VolumeAttributesClass",
  "storagemigration.k8s.io/StorageVersionMigration",
]);

/** Returns `group/Kind` of kinds without namespace that clusterctl does not know, with those of the file's CRDs. */
export function globalKindsIn({ documents }: ReleaseFile): ReadonlySet<string> {
  const own = documents
    .filter(
      ({ value }) =>
        textAt(value, "kind") === "CustomResourceDefinition" && textAt(value, "spec.scope") === "Cluster",
    )
    .map(({ value }) => `${textAt(value, "spec.group")}/${textAt(value, "spec.names.kind")}`);
  return new Set([...KUBERNETES, ...own]);
}

export function isGlobal(value: Manifest, kinds: ReadonlySet<string>): boolean {
  const kind = textAt(value, "kind");
  const [group = ""] = textAt(value, "apiVersion").split("/");
  return !isClusterScoped(kind) && kinds.has(`${group}/${kind}`);
}
