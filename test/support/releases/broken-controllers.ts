import { type BrokenRelease, components, edited, LABELLED, POD, withObject } from "./change.ts";

/** Releases that break a rule on controllers, variables and references. */
export const BROKEN_CONTROLLERS: readonly BrokenRelease[] = [
  [
    "CTL-18",
    "a controller in a StatefulSet",
    withObject(`{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: more, ${LABELLED}}, spec: ${POD}}`),
    { verdict: "fail", found: "StatefulSet" },
  ],
  [
    "CTL-18",
    "an agent in a DaemonSet",
    withObject(
      `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: more, ${LABELLED}}, spec: ${POD.replace("manager", "agent")}}`,
    ),
    { verdict: "warn" },
  ],
  [
    "CTL-19",
    "another container name",
    components("- name: manager\n", "- name: controller\n"),
    { verdict: "fail", found: "controller" },
  ],
  [
    "CTL-20",
    "a short image",
    components("registry.example.com/good/manager:v1.2.0", "manager:v1.2.0"),
    { verdict: "fail", found: "manager:v1.2.0" },
  ],
  [
    "CTL-21",
    "an image without tag",
    components("manager:v1.2.0", "manager"),
    { verdict: "warn", expected: "a tag or a digest" },
  ],
  [
    "CTL-21",
    "an image with a variable",
    components(
      "image: registry.example.com/good/manager:v1.2.0",
      "image: registry.example.com/good/manager:${GOOD_TAG:=v1.2.0}",
    ),
    { verdict: "warn", expected: "no variable" },
  ],
  [
    "CTL-22",
    "one watched namespace",
    components('value: ""', "value: default"),
    { verdict: "fail", found: "--namespace=default" },
  ],
  ["CTL-22", "no --namespace", components("--namespace=$(WATCHED), ", ""), { verdict: "warn" }],
  ["CTL-23", "no --watch-filter", components("--watch-filter=, ", ""), { verdict: "warn" }],
  [
    "CTL-24",
    "a variable of another name",
    components("GOOD_VERBOSITY", "VERBOSITY"),
    { verdict: "warn", expected: "GOOD_…" },
  ],
  [
    "CTL-24",
    "a variable without value",
    components("${GOOD_VERBOSITY:=2}", "${GOOD_VERBOSITY}"),
    { verdict: "warn" },
  ],
  [
    "CTL-24",
    "an empty default",
    components("${GOOD_VERBOSITY:=2}", "${GOOD_VERBOSITY:=}"),
    { verdict: "warn" },
  ],
  [
    "CTL-24",
    "an operator that looks like a default",
    { files: edited("cluster-template-topology.yaml", "${KUBERNETES_VERSION}", "${KUBERNETES_VERSION#v}") },
    { verdict: "warn", found: "KUBERNETES_VERSION first used with #" },
  ],
  [
    "CTL-38",
    "a role that is missing",
    components("kind: ClusterRole, name: good-system-manager", "kind: ClusterRole, name: good-system-other"),
    { verdict: "warn", found: "ClusterRole good-system-other" },
  ],
  [
    "CTL-38",
    "a Secret that is missing",
    components("secretName: good-webhook-cert}", "secretName: more}"),
    { verdict: "warn", found: "Secret more" },
  ],
];
