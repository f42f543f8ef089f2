import type { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import { Secret } from "../../../../../shared/api/core.ts";
import { type Kind, objectKeyOf } from "../../../../../shared/api/kinds.ts";
import { type GuardedPatch, type StepContext, turn } from "../../../../../shared/function/define-function.ts";
import { HOLD_FIELDS } from "../../../../../shared/function/guards.ts";
import type { Issue } from "../../../../../shared/function/issue.ts";
import { type Result, requeueAfter } from "../../../../../shared/function/result.ts";
import type { SecretSummary } from "../../../../../shared/function/secret-summary.ts";
import {
  AUTHORITY_ENDS_MS,
  endsWithAuthority,
  KUBECONFIG_VALIDITY_SECONDS,
  secretKeyOf,
  serverOf,
} from "../../../../../shared/rules/credentials/kubeconfig.ts";
import { controllerReference } from "../../../../../shared/rules/metadata/owner-references.ts";
import { OWNER_FIELDS } from "../../../../../shared/rules/metadata/read-owner.ts";
import { SimServer } from "../../../api/sim-cloud.ts";
import {
  type CertificatePlan,
  corrected,
  type KubeconfigOwner,
  kubeconfigPlan,
  missingCertificates,
} from "./certificates.ts";
import { type AnyControlPlane, controlPlaneHold, kindOfControlPlane } from "./control-plane-view.ts";

/** Fields of a simulated control plane that the step reads. */
export const CERTIFIED_FIELDS = [
  "metadata.uid",
  ...HOLD_FIELDS,
  ...OWNER_FIELDS,
  "spec.endpointMode",
  "spec.controlPlaneEndpoint",
  "spec.kubeconfigValiditySeconds",
] as const;

const SECRETS = Secret as unknown as Kind;
/** Parts of a spec that the functions of both contracts have. */
export const CERTIFICATE_RIGHTS = {
  ownsOn: [{ kind: SECRETS, fields: ["metadata.ownerReferences"] }],
  calls: [{ verb: "issue", kind: SECRETS }],
  readsLive: [SECRETS],
} as const;

/** Turns that the functions of both contracts have. */
export const CERTIFICATE_TURNS = turn(
  "clusterresourceset-guard",
  Secret,
  "metadata.ownerReferences",
  "a Secret has one type: that of manifests, or that of certificates",
);

interface Address {
  readonly host: string | undefined;
  readonly port: number | undefined;
}

interface Certified {
  readonly issue?: readonly Issue[];
  readonly patch?: readonly GuardedPatch[];
  readonly apply?: {
    readonly "status.certificates": { readonly ready: boolean; readonly message?: string };
  };
  readonly result: Result;
}

/**
 * The step of the certificates of a simulated control plane: certificates first, what is missing of them, then the
 * kubeconfig. At rest it looks at the kubeconfig only.
 */
export async function certify(object: AnyControlPlane, { read, now }: StepContext): Promise<Certified> {
  const { cluster, wait } = await controlPlaneHold(object, read);
  if (wait !== undefined || cluster === undefined) return { result: wait ?? corrected };
  const wish: KubeconfigOwner = {
    cluster: objectKeyOf(cluster),
    owner: controllerReference(kindOfControlPlane(object), object),
    ...(await serverUrl(object, cluster, read)),
    validitySeconds: object.spec.kubeconfigValiditySeconds ?? KUBECONFIG_VALIDITY_SECONDS,
  };
  const present = await read.live.secret(secretKeyOf(wish.cluster, "kubeconfig"));
  const { issue: kubeconfig, patch, result } = kubeconfigPlan(wish, present, now);
  const mustLook = kubeconfig !== undefined || object.status?.certificates?.ready !== true;
  const found: CertificatePlan = mustLook ? await missingCertificates(wish, read.live, now) : { issue: [] };
  const { issue, problem } = found;
  if (problem !== undefined) {
    return { issue, apply: { "status.certificates": { ready: false, message: problem } }, result: corrected };
  }
  const end = kubeconfig?.renew && endsWith(kubeconfig, present, found.authority);
  if (end !== undefined) {
    return {
      issue,
      apply: { "status.certificates": { ready: true } },
      result: requeueAfter(AUTHORITY_ENDS_MS, end),
    };
  }
  return {
    issue: kubeconfig === undefined ? issue : [...issue, kubeconfig],
    patch: patch === undefined ? [] : [patch],
    apply: { "status.certificates": { ready: true } },
    result,
  };
}

/** A renewal for another address counts all the same. */
function endsWith(
  { what }: Issue,
  present: SecretSummary | undefined,
  authority: SecretSummary | undefined,
): string | undefined {
  if (present === undefined || authority === undefined) return undefined;
  const isElsewhere = what.type === "kubeconfig" && what.server !== present.kubeconfig?.server;
  return isElsewhere ? undefined : endsWithAuthority(present, authority);
}

/** Returns where the simulated API server answers now: it may have another port than before a restart. */
async function serverUrl(
  { spec }: AnyControlPlane,
  cluster: Cluster,
  read: StepContext["read"],
): Promise<Pick<KubeconfigOwner, "server" | "isKnown" | "hasMoved">> {
  const found = await read.get(SimServer, objectKeyOf(cluster));
  const endpoint = urlOf(cluster.spec.controlPlaneEndpoint) ?? urlOf(spec.controlPlaneEndpoint) ?? "";
  const known = urlOf(found?.status);
  const server = known ?? endpoint;
  return { server, isKnown: known !== undefined, hasMoved: server !== endpoint };
}

function urlOf({ host = "", port = 0 }: Partial<Address> = {}): string | undefined {
  return host === "" || port === 0 ? undefined : serverOf({ host, port });
}
