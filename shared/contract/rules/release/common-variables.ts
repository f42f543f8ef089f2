/** Variables that `clusterctl generate cluster` sets from its flags and its argument. Source: PC-7. */
export const COMMON_VARIABLES: ReadonlySet<string> = new Set([
  "NAMESPACE",
  "CLUSTER_NAME",
  "KUBERNETES_VERSION",
  "CONTROL_PLANE_MACHINE_COUNT",
  "WORKER_MACHINE_COUNT",
]);
