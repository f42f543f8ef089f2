import { type BrokenRelease, components, edited, withObject } from "./change.ts";

/** Releases that break a rule on the components. */
export const BROKEN_COMPONENTS: readonly BrokenRelease[] = [
  [
    "CTL-13",
    "a template that is not YAML",
    { files: edited("cluster-template.yaml", "spec: {zone", "spec: {{zone") },
    { verdict: "fail" },
  ],
  [
    "CTL-14",
    "no Namespace",
    components(
      "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: good-system\n  labels: {cluster.x-k8s.io/provider: infrastructure-good}\n---\n",
      "",
    ),
    { verdict: "warn" },
  ],
  [
    "CTL-15",
    "two Namespaces",
    withObject(
      "{apiVersion: v1, kind: Namespace, metadata: {name: more, labels: {cluster.x-k8s.io/provider: infrastructure-good}}}",
    ),
    { verdict: "fail" },
  ],
  [
    "CTL-16",
    "an object for kube-system",
    withObject(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: more, namespace: kube-system, labels: {cluster.x-k8s.io/provider: infrastructure-good}}}",
    ),
    { verdict: "fail", found: "kube-system" },
  ],
  [
    "CTL-16",
    "a subject of another namespace",
    components("name: good-manager, namespace: good-system}", "name: good-manager, namespace: other}"),
    { path: "subjects[0].namespace", found: "other" },
  ],
  [
    "CTL-16",
    "a webhook service of another namespace",
    components("{name: good-webhook, namespace: good-system}", "{name: good-webhook, namespace: other}"),
    { path: "webhooks[0].clientConfig.service.namespace" },
  ],
  [
    "CTL-17",
    "a ClusterIssuer",
    withObject(
      "{apiVersion: cert-manager.io/v1, kind: ClusterIssuer, metadata: {name: more, labels: {cluster.x-k8s.io/provider: infrastructure-good}}}",
    ),
    { verdict: "warn", found: "ClusterIssuer" },
  ],
  [
    "CTL-25",
    "a bad substitution",
    components("${GOOD_VERBOSITY:=2}", "${GOOD_VERBOSITY-2}"),
    { verdict: "fail", found: "missing closing brace" },
  ],
  [
    "CTL-25",
    "a bad substitution in a comment",
    { files: edited("clusterclass-small.yaml", "kind: ClusterClass", "kind: ClusterClass # ${}") },
    { verdict: "fail" },
  ],
  [
    "CTL-26",
    "an object without label",
    withObject("{apiVersion: v1, kind: ConfigMap, metadata: {name: more, namespace: good-system}}"),
    { verdict: "warn", found: "absent" },
  ],
  [
    "CTL-27",
    "a CRD without label",
    components('    clusterctl.cluster.x-k8s.io: ""\n', ""),
    { verdict: "warn" },
  ],
  [
    "CTL-28",
    "a wrong CRD name",
    components("name: goodclusters.infra", "name: goodcluster.infra"),
    { verdict: "fail", expected: "goodclusters.infrastructure.cluster.x-k8s.io" },
  ],
  [
    "CTL-29",
    "an injection without namespace",
    components(
      "name: good-validating\n  annotations: {cert-manager.io/inject-ca-from: good-system/good-serving}",
      "name: good-validating\n  annotations: {cert-manager.io/inject-ca-from: good-serving}",
    ),
    { verdict: "fail" },
  ],
  [
    "CTL-30",
    "a certificate of another namespace",
    components("good-webhook.good-system.svc.cluster.local", "good-webhook.other.svc.cluster.local"),
    { verdict: "warn" },
  ],
  [
    "CTL-31",
    "a role without prefix",
    components("good-system-manager", "good-manager"),
    { verdict: "warn", expected: "good-system-…" },
  ],
];
