import { Cluster, Connection, objectKeyOf, Secret } from "../../shared/api/entry.ts";
import {
  type Decision,
  defineFunction,
  done,
  itself,
  requeueAfter,
  type StepContext,
  sameName,
  waitFor,
  watch,
} from "../../shared/function/define-function.ts";
import { authorityProblem } from "../../shared/rules/credentials/authority.ts";
import {
  AUTHORITY_ENDS_MS,
  AUTHORITY_RETRY_MS,
  endsWithAuthority,
  KUBECONFIG_USE_FIELDS,
  secretKeyOf,
} from "../../shared/rules/credentials/kubeconfig.ts";
import { isValidEndpoint } from "./rules/endpoint.ts";
import { WORKABLE_CLUSTER } from "./rules/hold.ts";
import { type IssueDue, issueDue, renewedAfterMs, requestOf } from "./rules/kubeconfig.ts";

export const clusterKubeconfig = defineFunction(
  {
    name: "cluster-kubeconfig",
    summary: "Keeps the kubeconfig Secret of a Cluster without control plane object.",
    source: "core/reconcilers/cluster/cluster_controller_phases.go",
    reconciles: Cluster,
    actsOn: "living",
    when: WORKABLE_CLUSTER,
    watches: [
      watch(Cluster, ["spec.controlPlaneEndpoint"], itself),
      watch(Connection, KUBECONFIG_USE_FIELDS, sameName),
    ],
    calls: [{ verb: "issue", kind: Secret }],
    readsLive: [Secret],
  },
  async (cluster, { read, now }) => {
    const { controlPlaneRef, controlPlaneEndpoint } = cluster.spec;
    if (controlPlaneRef !== undefined) return { result: done };
    if (!isValidEndpoint(controlPlaneEndpoint))
      return { result: waitFor("Cluster.spec.controlPlaneEndpoint") };
    const present = await read.live.secret(secretKeyOf(objectKeyOf(cluster), "kubeconfig"));
    const due = issueDue(cluster, controlPlaneEndpoint, present, now);
    if (due === "never") return { result: done };
    if ("inMs" in due) return { result: requeueAfter(due.inMs, "the client certificate is due for renewal") };
    return issued(cluster, due, { read, now });
  },
);

/** The request, once the authority is there and can sign. */
async function issued(
  cluster: Cluster,
  due: IssueDue,
  { read, now }: StepContext,
): Promise<Decision<Cluster, never>> {
  const key = secretKeyOf(objectKeyOf(cluster), "ca");
  const authority = await read.live.secret(key);
  if (authority === undefined) {
    return { result: requeueAfter(AUTHORITY_RETRY_MS, `Secret ${key.namespace}/${key.name}`) };
  }
  const problem = authorityProblem(authority, now);
  if (problem !== undefined) {
    const event = { type: "Warning", reason: "KubeconfigNotIssued", message: problem } as const;
    return { events: [event], result: requeueAfter(AUTHORITY_RETRY_MS, problem) };
  }
  const end = due.renew === undefined ? undefined : endsWithAuthority(due.renew, authority);
  if (end !== undefined) {
    const event = { type: "Warning", reason: "KubeconfigNotIssued", message: end } as const;
    return { events: [event], result: requeueAfter(AUTHORITY_ENDS_MS, end) };
  }
  return {
    issue: [requestOf(cluster, due)],
    result: requeueAfter(renewedAfterMs, "the client certificate is due for renewal"),
  };
}
