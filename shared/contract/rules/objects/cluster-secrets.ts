import { CLUSTER_NAME_LABEL } from "../../../api/indexes.ts";
import { CLUSTER_GROUP, groupOf, type KubeObject } from "../../../api/kinds.ts";
import { textAt } from "../../../api/path.ts";
import { controlPlanePath } from "../../control-plane.ts";
import { readBoolean } from "../../fields.ts";
import { fail, type Judgement, na, unknown, warn } from "../rule.ts";
import { judgeContent, judgeSought, missing, objectRule, type Sought } from "./judgements.ts";
import { isUnseen, type ObjectSubject, type SecretFacts } from "./subject.ts";

const BOOK = "https://cluster-api.sigs.k8s.io/developer/providers/contracts/control-plane";
const SECRET_TYPE = "cluster.x-k8s.io/secret";

export const kubeconfigSecret = objectRule({
  id: "CP-34",
  level: "MUST",
  sentence:
    "The Secret `<cluster>-kubeconfig` is in the namespace of the Cluster, has the type `cluster.x-k8s.io/secret`, the label `cluster.x-k8s.io/cluster-name` and the key `value`",
  effect:
    "without the label core does not see the Secret; without the rest it cannot reach the workload cluster",
  source: BOOK,
  check: (subject) =>
    judgeSought(seekKubeconfig(subject), (secret) => [
      ...judgeMarks(secret, clusterNameOf(subject) ?? ""),
      ...judgeKubeconfig(secret),
    ]),
});

export const clientCertificate = objectRule({
  id: "CP-35",
  level: "MUST",
  sentence: "A client certificate in the kubeconfig is valid and lives for one year at most",
  effect: "the workload cluster refuses core when the certificate has expired",
  source: BOOK,
  check: (subject) =>
    judgeContent(seekKubeconfig(subject), (secret) => judgeCertificate(secret, subject.now)),
});

export const certificateSecrets = objectRule({
  id: "CP-36",
  level: "MUST",
  sentence:
    "The Secrets `<cluster>-ca`, `-etcd`, `-proxy` and `-sa`, where the provider creates certificates, have the type and label of the kubeconfig and the keys `tls.crt` and `tls.key`",
  effect: "`clusterctl move` finds them by name and may leave them behind",
  source: BOOK,
  check(subject) {
    const { object, around } = subject;
    const cluster = clusterNameOf(subject);
    if (cluster === undefined) return [na("the control plane belongs to no Cluster yet")];
    const { namespace = "" } = object.metadata;
    const found = PURPOSES.map((purpose) => around.secret({ namespace, name: `${cluster}-${purpose}` }));
    const there = found.filter((secret): secret is SecretFacts => !isUnseen(secret));
    const refused = found.find((secret) => isUnseen(secret) && !secret.isAbsent);
    if (there.length > 0)
      return there.flatMap((secret) => [...judgeMarks(secret, cluster), ...judgePair(secret)]);
    return refused !== undefined && isUnseen(refused)
      ? [unknown(`Secrets of certificates: ${refused.why}`)]
      : [na("the Cluster has no Secret with certificates")];
  },
});

const PURPOSES = ["ca", "etcd", "proxy", "sa"];
const CERTIFICATE_KEYS = ["tls.crt", "tls.key"];
const DAY_MS = 24 * 3_600_000;
/** A leap year, and what clocks differ by. */
const YEAR_MS = 367 * DAY_MS;

function seekKubeconfig(subject: ObjectSubject): Sought {
  const { object, contract, around } = subject;
  const cluster = clusterNameOf(subject);
  if (cluster === undefined) return { judgement: na("the control plane belongs to no Cluster yet") };
  const flag = controlPlanePath(contract, "initialized");
  const { namespace = "" } = object.metadata;
  const name = `${cluster}-kubeconfig`;
  const secret = around.secret({ namespace, name });
  if (!isUnseen(secret)) return { secret };
  if (readBoolean(object, flag).value !== true) return { judgement: na(`${flag} is not true`) };
  const elsewhere = around.namespacesOfSecret(name);
  return { judgement: missing(secret, { namespace, name, elsewhere, path: "metadata.name" }) };
}

/** The Cluster whose Secrets are judged: the object itself, that of a control plane, or one that names it. */
function clusterNameOf({ object, around }: ObjectSubject): string | undefined {
  const { apiVersion, kind, metadata } = object;
  const cluster = { group: CLUSTER_GROUP, kind: "Cluster" };
  if (kind === cluster.kind && groupOf(apiVersion) === cluster.group) return metadata.name;
  const naming = around
    .objectsBy("spec.controlPlaneRef.name", cluster, metadata.namespace)
    .with(metadata.name);
  const named = naming.find((one) => textAt(one, "spec.controlPlaneRef.kind") === kind);
  return clusterOf(object) ?? named?.metadata.name;
}

/** The Cluster of a control plane: by its label, else by its owner. */
export function clusterOf({ metadata }: KubeObject): string | undefined {
  const owner = metadata.ownerReferences?.find(
    ({ apiVersion, kind }) => kind === "Cluster" && groupOf(apiVersion) === CLUSTER_GROUP,
  );
  return metadata.labels?.[CLUSTER_NAME_LABEL] ?? owner?.name;
}

function judgeMarks({ metadata, type }: SecretFacts, cluster: string): readonly Judgement[] {
  const title = `Secret ${metadata.namespace ?? ""}/${metadata.name}`;
  const label = metadata.labels?.[CLUSTER_NAME_LABEL];
  const path = `metadata.labels[${CLUSTER_NAME_LABEL}]`;
  return [
    ...(type === SECRET_TYPE
      ? []
      : [fail({ path: "type", found: `${title}: ${type ?? "absent"}`, expected: SECRET_TYPE })]),
    ...(label === cluster
      ? []
      : [fail({ path, found: `${title}: ${label ?? "absent"}`, expected: cluster })]),
  ];
}

function judgeKubeconfig({ metadata, keys, kubeconfig }: SecretFacts): readonly Judgement[] {
  const title = `Secret ${metadata.namespace ?? ""}/${metadata.name}`;
  const path = "data[value]";
  if (keys.get("value") !== "filled") {
    return [fail({ path, found: `${title}: the key is missing or empty`, expected: "a kubeconfig" })];
  }
  if (kubeconfig.isUsable) return [];
  return [
    fail({
      path,
      found: `${title}: the value names no server that a client could use`,
      expected: "a kubeconfig",
    }),
  ];
}

function judgeCertificate({ keys, kubeconfig }: SecretFacts, now: Date): readonly Judgement[] {
  if (keys.get("value") !== "filled" || !kubeconfig.isUsable) return [na("the kubeconfig cannot be used")];
  const path = "data[value]";
  const expected = "a certificate of one year at most, renewed in time";
  const { client, validity } = kubeconfig;
  if (client === "other") return [na("the kubeconfig has no client certificate")];
  if (validity === undefined) {
    return [fail({ path, found: "a client certificate that cannot be read", expected })];
  }
  const lifetimeMs = validity.notAfter.getTime() - validity.notBefore.getTime();
  if (validity.notAfter <= now)
    return [fail({ path, found: "the client certificate has expired", expected })];
  return lifetimeMs > YEAR_MS
    ? [warn({ path, found: "the client certificate lives for more than one year", expected })]
    : [];
}

function judgePair({ metadata, keys }: SecretFacts): readonly Judgement[] {
  const title = `Secret ${metadata.namespace ?? ""}/${metadata.name}`;
  return CERTIFICATE_KEYS.filter((key) => keys.get(key) !== "filled").map((key) =>
    fail({
      path: `data[${key}]`,
      found: `${title}: the key is missing or empty`,
      expected: "a certificate or key in PEM",
    }),
  );
}
