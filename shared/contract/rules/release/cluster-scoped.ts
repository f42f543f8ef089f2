/** Kinds that clusterctl leaves without a namespace, whatever their group; it gives one to every other. Source: PC-7. */
const CLUSTER_SCOPED: ReadonlySet<string> = new Set([
  "CSIDriver",
  "CSINode",
  "CertificateSigningRequest",
  "ClusterRole",
  "ClusterRoleBinding",
  "CustomResourceDefinition",
  "MutatingWebhookConfiguration",
  "Namespace",
  "Node",
  "PersistentVolume",
  "PodSecurityPolicy",
  "PriorityClass",
  "RuntimeClass",
  "StorageClass",
  "ValidatingWebhookConfiguration",
  "VolumeAttachment",
]);

export function isClusterScoped(kind: string): boolean {
  return CLUSTER_SCOPED.has(kind);
}
