import { type BrokenRelease, edited } from "./change.ts";
import { GOOD_FILES } from "./good-release.ts";

/** Releases that break a rule on templates and ClusterClasses. */
export const BROKEN_TEMPLATES: readonly BrokenRelease[] = [
  [
    "CTL-32",
    "no default template",
    {
      files: {
        "cluster-template.yaml": undefined,
        "cluster-template-plain.yaml": GOOD_FILES["cluster-template.yaml"],
      },
    },
    { verdict: "warn" },
  ],
  [
    "CTL-33",
    "a Namespace in a template",
    {
      files: {
        "cluster-template.yaml": `${GOOD_FILES["cluster-template.yaml"]}---\n{apiVersion: v1, kind: Namespace, metadata: {name: "\${NAMESPACE}"}}`,
      },
    },
    { verdict: "fail" },
  ],
  [
    "CTL-33",
    "an object of another namespace",
    {
      files: {
        "cluster-template.yaml": `${GOOD_FILES["cluster-template.yaml"]}---\n{apiVersion: v1, kind: Secret, metadata: {name: more, namespace: kube-system}}`,
      },
    },
    { verdict: "fail", found: "kube-system" },
  ],
  [
    "CTL-34",
    "a fixed name",
    { files: edited("cluster-template-topology.yaml", "${CLUSTER_NAME}", "mine") },
    { verdict: "warn", found: "mine" },
  ],
  [
    "CTL-34",
    "a fixed namespace",
    { files: edited("cluster-template-topology.yaml", "${NAMESPACE}", "mine") },
    { verdict: "warn", found: "mine" },
  ],
  [
    "CTL-34",
    "no variable",
    { files: { "cluster-template-plain.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}" } },
    { verdict: "warn", found: "no variable" },
  ],
  [
    "CTL-35",
    "a class without file",
    { files: edited("cluster-template-topology.yaml", "name: small", "name: large") },
    { verdict: "warn", found: "large" },
  ],
  [
    "CTL-35",
    "a class of another name",
    {
      files: {
        "clusterclass-large.yaml":
          "{apiVersion: cluster.x-k8s.io/v1beta2, kind: ClusterClass, metadata: {name: big}}",
      },
    },
    { verdict: "warn", found: "big" },
  ],
  [
    "CTL-36",
    "a variable in a class",
    {
      files: edited(
        "clusterclass-small.yaml",
        "kind: ClusterClass\n",
        "kind: ClusterClass\nspec: {zone: '${ZONE:=a}'}\n",
      ),
    },
    { verdict: "warn", found: "variables ZONE" },
  ],
  [
    "CTL-36",
    "a namespace in a class",
    {
      files: edited(
        "clusterclass-small.yaml",
        "kind: ClusterClass\nmetadata: {name: small}",
        "kind: ClusterClass\nmetadata: {name: small, namespace: default}",
      ),
    },
    { verdict: "warn", found: "default" },
  ],
  [
    "CTL-36",
    "an object of two classes",
    {
      files: {
        "clusterclass-large.yaml": `{apiVersion: cluster.x-k8s.io/v1beta2, kind: ClusterClass, metadata: {name: large}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: GoodClusterTemplate, metadata: {name: small}}`,
      },
    },
    { verdict: "warn", found: "also in clusterclass-large.yaml" },
  ],
];
