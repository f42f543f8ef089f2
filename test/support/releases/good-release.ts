import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Texts by file name. */
export type ReleaseFiles = { readonly [name: string]: string };

const METADATA = `apiVersion: clusterctl.cluster.x-k8s.io/v1alpha3
kind: Metadata
releaseSeries:
- {major: 1, minor: 1, contract: v1beta1}
- {major: 1, minor: 2, contract: v1beta2}
`;

const LABELS = "labels: {cluster.x-k8s.io/provider: infrastructure-good}";

const COMPONENTS = `apiVersion: v1
kind: Namespace
metadata:
  name: good-system
  ${LABELS}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: goodclusters.infrastructure.cluster.x-k8s.io
  annotations: {cert-manager.io/inject-ca-from: good-system/good-serving}
  labels:
    clusterctl.cluster.x-k8s.io: ""
    cluster.x-k8s.io/provider: infrastructure-good
    cluster.x-k8s.io/v1beta2: v1beta2
spec:
  group: infrastructure.cluster.x-k8s.io
  names: {kind: GoodCluster, listKind: GoodClusterList, plural: goodclusters, singular: goodcluster}
  scope: Namespaced
  versions:
  - name: v1beta2
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: good-manager
  namespace: good-system
  ${LABELS}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: good-system-manager
  ${LABELS}
rules:
- {apiGroups: [infrastructure.cluster.x-k8s.io], resources: [goodclusters], verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: good-system-manager
  ${LABELS}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: good-system-manager}
subjects:
- {kind: ServiceAccount, name: good-manager, namespace: good-system}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: good-text
  namespace: good-system
  ${LABELS}
data:
  manifest: |
    kind: Namespace
    metadata: {name: $\${NOT_A_VARIABLE}}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: good-serving
  namespace: good-system
  ${LABELS}
spec:
  dnsNames: [good-webhook.good-system.svc, good-webhook.good-system.svc.cluster.local]
  issuerRef: {kind: Issuer, name: good-selfsigned}
  secretName: good-webhook-cert
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: good-validating
  annotations: {cert-manager.io/inject-ca-from: good-system/good-serving}
  ${LABELS}
webhooks:
- name: validation.good.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {name: good-webhook, namespace: good-system}}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: good-manager
  namespace: good-system
  ${LABELS}
spec:
  selector: {matchLabels: {app: good}}
  template:
    metadata: {labels: {app: good}}
    spec:
      serviceAccountName: good-manager
      containers:
      - name: manager
        image: registry.example.com/good/manager:v1.2.0
        args: [--namespace=$(WATCHED), --watch-filter=, "--v=\${GOOD_VERBOSITY:=2}"]
        env:
        - {name: WATCHED, value: ""}
      volumes:
      - {name: cert, secret: {secretName: good-webhook-cert}}
`;

const TEMPLATE = `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: "\${CLUSTER_NAME}", namespace: "\${NAMESPACE}"}
spec:
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: GoodCluster, name: "\${CLUSTER_NAME}"}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: GoodCluster
metadata: {name: "\${CLUSTER_NAME}", namespace: "\${NAMESPACE}"}
spec: {zone: "\${GOOD_ZONE}"}
`;

const TOPOLOGY = `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: "\${CLUSTER_NAME}", namespace: "\${NAMESPACE}"}
spec:
  topology: {classRef: {name: small}, version: "\${KUBERNETES_VERSION}"}
`;

const CLASS = `apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: {name: small}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: GoodClusterTemplate
metadata: {name: small}
`;

/** A release in which every rule holds. */
export const GOOD_FILES: ReleaseFiles = {
  "metadata.yaml": METADATA,
  "infrastructure-components.yaml": COMPONENTS,
  "cluster-template.yaml": TEMPLATE,
  "cluster-template-topology.yaml": TOPOLOGY,
  "clusterclass-small.yaml": CLASS,
};

interface StoredRelease extends AsyncDisposable {
  /** `…/<label>/<version>` */
  readonly folder: string;
}

interface Place {
  readonly label?: string;
  readonly version?: string;
  /** Folders beside it. */
  readonly others?: readonly string[];
}

/** Writes a release into a folder that ends with the object. */
export async function storeRelease(
  files: ReleaseFiles,
  { label = "infrastructure-good", version = "v1.2.0", others = ["v1.1.0"] }: Place = {},
): Promise<StoredRelease> {
  const dir = await mkdtempDisposable(join(tmpdir(), "capstan-release-"));
  const folder = join(dir.path, label, version);
  for (const each of [version, ...others]) await mkdir(join(dir.path, label, each), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return { folder, [Symbol.asyncDispose]: () => dir.remove() };
}
