import { Secret } from "../../../../../shared/api/core.ts";
import { CLUSTER_NAME_LABEL } from "../../../../../shared/api/indexes.ts";
import { MANAGEMENT, type ObjectKey, type OwnerReference } from "../../../../../shared/api/kinds.ts";
import { labelValueOf } from "../../../../../shared/api/names.ts";
import { SECOND } from "../../../../../shared/function/backoff.ts";
import type { GuardedPatch } from "../../../../../shared/function/define-function.ts";
import type { Issue } from "../../../../../shared/function/issue.ts";
import type { LiveReader } from "../../../../../shared/function/reads.ts";
import { done, type Result, requeueAfter } from "../../../../../shared/function/result.ts";
import type { SecretSummary } from "../../../../../shared/function/secret-summary.ts";
import { authorityProblem } from "../../../../../shared/rules/credentials/authority.ts";
import {
  AUTHORITY_RETRY_MS,
  isIssued,
  kubeconfigIssue,
  type Purpose,
  renewalDueMs,
  secretKeyOf,
} from "../../../../../shared/rules/credentials/kubeconfig.ts";
import { sameOwner } from "../../../../../shared/rules/metadata/owner-references.ts";

/** 10 years. */
const AUTHORITY_VALIDITY_SECONDS = 10 * 365 * 24 * 60 * 60;

const CERTIFICATES = ["ca", "etcd", "proxy", "sa"] as const satisfies readonly Purpose[];
type Certificate = (typeof CERTIFICATES)[number];

/** A control plane as its certificates see it; the kind does not matter. */
export interface CertificateOwner {
  readonly cluster: ObjectKey;
  /** Controller of what is issued. */
  readonly owner: OwnerReference;
}

/** Secrets to make, and what is wrong with those that are there. */
export interface CertificatePlan {
  readonly issue: readonly Issue[];
  /** The problem for people; absent when nothing is wrong. */
  readonly problem?: string | undefined;
  /** The authority that signs kubeconfigs. */
  readonly authority?: SecretSummary | undefined;
}

/**
 * Returns which certificates of a Cluster are missing. Those that are there are used as they are, also a user's own, and
 * are never replaced.
 */
export async function missingCertificates(
  { cluster, owner }: CertificateOwner,
  live: Pick<LiveReader, "secret">,
  now: Date,
): Promise<CertificatePlan> {
  const found = await Promise.all(
    CERTIFICATES.map(async (purpose) => ({
      purpose,
      secret: await live.secret(secretKeyOf(cluster, purpose)),
    })),
  );
  const problems = found.flatMap(({ purpose, secret }) =>
    secret === undefined ? [] : (certificateProblem(purpose, secret, now) ?? []),
  );
  const missing = found.filter(({ secret }) => secret === undefined);
  return {
    issue: missing.map(({ purpose }) => ({
      secret: secretKeyOf(cluster, purpose),
      labels: { [CLUSTER_NAME_LABEL]: cluster.name },
      owner,
      what: newCertificate(purpose),
    })),
    problem: problems[0],
    authority: found.find(({ purpose }) => purpose === "ca")?.secret,
  };
}

function newCertificate(purpose: Certificate): Issue["what"] {
  if (purpose === "sa") return { type: "keyPair" };
  return { type: "authority", commonName: "kubernetes", validitySeconds: AUTHORITY_VALIDITY_SECONDS };
}

/** Keys for service accounts have no certificate; the key of an external etcd may be elsewhere. */
function certificateProblem(purpose: Certificate, secret: SecretSummary, now: Date): string | undefined {
  const { privateKey = "missing", wrong } = secret.pair ?? {};
  if (purpose === "etcd" && privateKey === "missing" && wrong === undefined) return undefined;
  if (purpose !== "sa") return authorityProblem(secret, now);
  if (privateKey === "fits") return undefined;
  const { namespace, name } = secret.metadata;
  return `Secret ${namespace}/${name}: ${wrong ?? "key tls.key is missing; write the private key"}`;
}

export interface KubeconfigOwner extends CertificateOwner {
  /** `https://<host>:<port>` of the API server. */
  readonly server: string;
  /** Whether the server itself says it; else it is what the Cluster says. */
  readonly isKnown: boolean;
  /** The server is elsewhere than the Cluster says, so that a kubeconfig with another address leads nowhere. */
  readonly hasMoved: boolean;
  readonly validitySeconds: number;
}

export interface KubeconfigPlan {
  readonly issue?: Issue;
  readonly patch?: GuardedPatch;
  readonly result: Result;
}

/**
 * Returns what a control plane does with the kubeconfig Secret of its Cluster: makes it, becomes its controller, and
 * renews it at half of its time, or when the server has moved. A user's own Secret stays as it is, and an address that a
 * user wrote into it as long as the Cluster has that of the server.
 */
export function kubeconfigPlan(
  wish: KubeconfigOwner,
  present: SecretSummary | undefined,
  now: Date,
): KubeconfigPlan {
  const { validitySeconds, owner } = wish;
  const renewed = requeueAfter((validitySeconds * SECOND) / 2, DUE);
  const labels = { [ISSUED_FOR]: addressLabel(wish.server) };
  if (present === undefined) return { issue: kubeconfigIssue({ ...wish, labels }), result: renewed };
  if (!isIssued(present)) return { result: done };
  const owners = present.metadata.ownerReferences ?? [];
  if (!owners.some((one) => one.controller === true && one.uid === owner.uid)) {
    return {
      patch: adoption(present, owner),
      result: requeueAfter(SECOND, "the kubeconfig Secret is adopted"),
    };
  }
  const known = renewalDueMs(present, validitySeconds, now);
  // A kubeconfig that cannot be read stays for people to look at; after its deletion there is a new one.
  if (known === undefined) return { result: done };
  const found = present.kubeconfig?.server ?? wish.server;
  const isOwn = present.metadata.labels?.[ISSUED_FOR] === addressLabel(found);
  // The server that clients know stays where a user wrote it.
  const server = wish.isKnown && (wish.hasMoved || isOwn) ? wish.server : found;
  if (known > 0 && server === found) return { result: requeueAfter(known, DUE) };
  return { issue: kubeconfigIssue({ ...wish, server, labels, renew: present }), result: renewed };
}

/** The annotation on a kubeconfig Secret with the server's address when issued. Any other in it is a user's own. */
const ISSUED_FOR = "sim.capstan.dev/issued-for";

/** An URL with a port as the value of a label. */
function addressLabel(server: string): string {
  return labelValueOf(server.replace(/^https:\/\//, "").replace(/:(\d+)$/, "_$1"));
}

const DUE = "the client certificate is due for renewal";

/** The only controller; other owners stay. */
function adoption({ metadata }: SecretSummary, owner: OwnerReference): GuardedPatch {
  const { namespace = "", name, uid, resourceVersion, ownerReferences = [] } = metadata;
  const others = ownerReferences.filter((one) => one.controller !== true && !sameOwner(one, owner));
  return {
    target: { cluster: MANAGEMENT, kind: Secret, namespace, name, uid, resourceVersion },
    operations: [{ op: "add", path: "/metadata/ownerReferences", value: [...others, owner] }],
  };
}

/** How soon certificates that cannot be used are looked at again. */
export const corrected = requeueAfter(AUTHORITY_RETRY_MS, "the certificates are corrected");
