import type { Cluster, ClusterStatus } from "../../../shared/api/cluster/cluster.ts";
import { readString } from "../../../shared/contract/fields.ts";
import { truncate } from "../../../shared/rules/conditions/truncate.ts";
import { ownObject } from "./adoption.ts";
import type { ClusterProviders } from "./providers.ts";

type Deprecated = NonNullable<NonNullable<ClusterStatus["deprecated"]>["v1beta1"]>;
export type Failures = Pick<Deprecated, "failureReason" | "failureMessage">;

const MAX_REASON = 256;
const MAX_MESSAGE = 10_240;

/**
 * Terminal failures of the provider objects, whatever their contract; the control plane object is read later and
 * wins. An empty source never clears a copied value, and no decision rests on them.
 * Source: cluster-and-controlplane.md 3.6
 */
export function clusterFailures(
  cluster: Cluster,
  { infrastructure, controlPlane }: ClusterProviders,
): Failures {
  const stored = cluster.status?.deprecated?.v1beta1;
  const failures: { failureReason?: string; failureMessage?: string } = {
    ...(stored?.failureReason === undefined ? {} : { failureReason: stored.failureReason }),
    ...(stored?.failureMessage === undefined ? {} : { failureMessage: stored.failureMessage }),
  };
  for (const provider of [infrastructure, controlPlane]) {
    const object = ownObject(cluster, provider)?.object;
    if (object === undefined) continue;
    const reason = readString(object, "status.failureReason").value ?? "";
    const message = readString(object, "status.failureMessage").value ?? "";
    if (reason !== "") failures.failureReason = truncate(reason, MAX_REASON);
    if (message === "") continue;
    const who = `${object.apiVersion}, Kind=${object.kind} with name "${object.metadata.name}"`;
    failures.failureMessage = truncate(
      `Failure detected from referenced resource ${who}: ${message}`,
      MAX_MESSAGE,
    );
  }
  return failures;
}
