import type { Manifest } from "../deployment.ts";
import { processAccount, RIGHTS } from "../manifests/accounts.ts";
import { type ServerProcess, serverProcesses } from "../manifests/processes.ts";

/**
 * Returns the rights of the Lambda functions in the management cluster: those of the workers of their group, bound to
 * the group that their entry to the cluster names.
 */
export async function lambdaAccess(): Promise<readonly Manifest[]> {
  const [, ...workers] = await serverProcesses();
  return workers.flatMap((worker) =>
    processAccount(worker)
      .filter(isForLambda)
      .map((object) => (object.kind === "ClusterRoleBinding" ? boundToGroup(object, worker) : object)),
  );
}

/** A Lambda function has no ServiceAccount, and nothing asks for its diagnostics. */
function isForLambda({ kind, metadata }: Manifest): boolean {
  return kind !== "ServiceAccount" && metadata.labels?.[RIGHTS] !== "diagnostics";
}

/** A name of its own, so that workers may run beside Lambda functions. */
function boundToGroup(binding: Manifest, { name }: ServerProcess): Manifest {
  const metadata = { ...binding.metadata, name: `${binding.metadata.name}-lambda` };
  return { ...binding, metadata, subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name }] };
}
