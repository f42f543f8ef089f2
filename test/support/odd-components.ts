/** Components that clusterctl changes in every way it can, in the namespace `old` or `forms`. */
export const ODD_COMPONENTS = `
# kind: Namespace
apiVersion: v1
kind: ConfigMap
metadata:
  name: text
  labels: {cluster.x-k8s.io/provider: other, mine: kept}
data:
  manifest: |
    kind: Namespace
    metadata: {name: in-a-string, namespace: old}
---
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
---
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata: {name: issuer}
spec: {selfSigned: {}}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: serving, namespace: old}
spec:
  dnsNames: [webhook.old.svc, webhook.old.svc.cluster.local.old.x, other.svc]
  issuerRef: {kind: Issuer, name: issuer}
---
apiVersion: v1
kind: Namespace
metadata: {name: old}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: binding, namespace: kube-system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
- {kind: ServiceAccount, name: manager, namespace: kube-system}
- {apiGroup: rbac.authorization.k8s.io, kind: Group, name: everyone}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: old-binding}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: old-role}
subjects:
- {kind: ServiceAccount, name: manager, namespace: old}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: old-validating
  annotations: {cert-manager.io/inject-ca-from: old/serving, other: old/serving}
webhooks:
- name: service.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  timeoutSeconds: 0
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods], scope: "*"}]
  namespaceSelector: {}
  objectSelector: {matchLabels: {}, matchExpressions: []}
  clientConfig: {caBundle: "", service: {name: webhook, namespace: old, path: "", port: 0}}
- name: url.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {url: "https://example.com"}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: forms.example.com
  annotations: {cert-manager.io/inject-ca-from: old/serving}
spec:
  group: example.com
  names: {kind: Form, listKind: FormList, plural: forms, singular: form}
  scope: Namespaced
  conversion:
    strategy: Webhook
    webhook:
      clientConfig: {service: {name: webhook, namespace: old, path: /convert}}
      conversionReviewVersions: [v1]
  versions:
  - name: v1
    served: true
    storage: true
    deprecated: false
    additionalPrinterColumns:
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp, priority: 0}
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        description: ""
        required: []
        properties:
          labels: {type: object, x-kubernetes-preserve-unknown-fields: false, properties: {}}
          value: {type: string, default: "", nullable: false, enum: ["", a], minLength: 0}
          list: {type: array, default: [], items: {x-kubernetes-int-or-string: false, type: object, default: {}}}
          count: {type: integer, minimum: 0, default: 0, exclusiveMinimum: false, additionalProperties: false}
  - name: v0
    served: false
    storage: false
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: old, labels: {}, annotations: {empty: ""}, creationTimestamp: null}
spec:
  replicas: 0
  minReadySeconds: 0
  selector: {matchLabels: {app: manager}}
  template:
    metadata: {labels: {app: manager, empty: ""}}
    spec:
      hostNetwork: false
      automountServiceAccountToken: false
      securityContext: {}
      nodeSelector: {}
      terminationGracePeriodSeconds: 0
      volumes:
      - {name: empty, emptyDir: {}}
      - {name: secret, secret: {secretName: s, optional: false, defaultMode: 0}}
      tolerations: []
      initContainers:
      - {name: first, image: "registry.example.com:5000/tools/first@sha256:${"0123456789abcdef".repeat(4)}"}
      containers:
      - name: manager
        image: registry.example.com/team/manager:v1
        args: [--namespace=old, "--value=\${WIDE}"]
        command: []
        env:
        - {name: NAMESPACE, value: old}
        - {name: EMPTY, value: ""}
        - {name: FIELD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
        livenessProbe: {initialDelaySeconds: 0, httpGet: {port: 0, scheme: ""}}
        ports: [{containerPort: 0, hostPort: 0, protocol: ""}]
        securityContext: {privileged: false, runAsUser: 0, capabilities: {drop: [ALL], add: []}}
        volumeMounts: [{name: empty, mountPath: "", readOnly: false, subPath: ""}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: old}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      containers:
      - {name: agent, image: registry.example.com/team/agent}
---
apiVersion: example.com/v1
kind: ClusterWide
metadata: {name: custom}
spec: {namespace: old}
`;
