/** The annotation in which `kubectl apply` keeps the whole object as it was applied, values of Secrets included. */
export const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
