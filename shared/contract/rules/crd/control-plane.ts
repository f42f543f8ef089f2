import { controlPlanePath } from "../../control-plane.ts";
import { CONTROL_PLANE_MACHINES } from "./control-plane-machines.ts";
import { counters, replicas, scalePaths, selector, statusVersion, version } from "./control-plane-shapes.ts";
import { book, byContract, type CrdRule, crdRule } from "./crd-rule.ts";
import { field, optional } from "./fields.ts";
import {
  conditionsByContract,
  endpoint,
  expectedFailure,
  judgedAs,
  readiness,
  templateInRelease,
} from "./shapes.ts";

const BOOK = book("control-plane");
const READER = "internal/contract/controlplane.go";

/** Rules on the CRD of a control plane, by sections 3 and 5 of the contract. */
export const CONTROL_PLANE: readonly CrdRule[] = [
  crdRule({
    id: "CP-13",
    level: "MUST",
    sentence:
      "`spec.controlPlaneEndpoint`, where the provider supplies it, has `host` as a text and `port` as an integer, both optional under v1beta2",
    effect:
      "core copies it to the Cluster once the control plane is initialized; a wrong type stops each reconcile with an error",
    source: READER,
    check: endpoint,
  }),
  crdRule({
    id: "CP-14",
    level: "MUST",
    sentence: "`spec.replicas`, where replicas are supported, is an integer",
    effect: "core reads it as the desired replicas of the Cluster's control plane",
    source: READER,
    check: replicas,
  }),
  crdRule({
    id: "CP-15",
    level: "MUST",
    sentence: "With `spec.replicas`, the status has its four counters as integers",
    effect:
      "the counters of the Cluster stay unset, and the topology holds upgrades because the control plane seems to scale",
    source: READER,
    check: counters,
  }),
  crdRule({
    id: "CP-16",
    level: "MUST",
    sentence: "With `spec.replicas`, `status.selector` is a text",
    effect: "`kubectl scale` and the autoscaler cannot find the machines of the control plane",
    source: BOOK,
    check: selector,
  }),
  crdRule({
    id: "CP-17",
    level: "MUST",
    sentence:
      "With `spec.replicas`, the scale subresource has `.spec.replicas`, `.status.replicas` and `.status.selector`",
    effect: "`kubectl scale` and the autoscaler cannot scale the control plane",
    source: BOOK,
    check: scalePaths,
  }),
  crdRule({
    id: "CP-18",
    level: "MUST",
    sentence: "`spec.version`, where versions are managed, is a required text",
    effect: "the topology writes it as a text and upgrades by it; the API server refuses that",
    source: READER,
    check: version,
  }),
  crdRule({
    id: "CP-19",
    level: "MUST",
    sentence:
      "With `spec.version`, the status has `versions` as a list with `version` and `replicas`, or, under v1beta1, `version`",
    effect:
      "the Cluster has no version of its control plane: the topology takes it for one that is still provisioned",
    source: READER,
    check: statusVersion,
  }),
  ...CONTROL_PLANE_MACHINES,
  crdRule({
    id: "CP-26",
    level: "SHOULD",
    sentence: "`status.externalManagedControlPlane`, for control planes without Machines, is a boolean",
    effect:
      "without it, Nodes of deleted workers stay as long as the Cluster has no Machine of a control plane",
    source: READER,
    check: optional("boolean", controlPlanePath("v1beta2", "externalManagedControlPlane")),
  }),
  crdRule({
    id: "CP-27",
    level: "MUST",
    sentence:
      "`spec.rollout.after` under v1beta2 is a time, `spec.rolloutAfter` under v1beta1 a time or a plain text, where scheduled rollouts are supported",
    effect: "`clusterctl alpha rollout restart` cannot start a rollout",
    source: "cmd/clusterctl/client/alpha/rollout_restarter.go",
    check: byContract({
      v1beta2: optional("date-time string", "spec.rollout.after"),
      // clusterctl writes the text of a time, which a plain text takes as well.
      v1beta1: optional("string", "spec.rolloutAfter"),
    }),
  }),
  crdRule({
    id: "CP-28",
    level: "MUST",
    sentence:
      "`status.initialization.controlPlaneInitialized` under v1beta2, `status.initialized` under v1beta1, is a boolean",
    effect: "the Cluster never gets an initialized control plane, and workers wait for it",
    source: READER,
    check: readiness((contract) => controlPlanePath(contract, "initialized")),
  }),
  crdRule({
    id: "CP-29",
    level: { v1beta1: "MUST", v1beta2: "MAY" },
    contracts: ["v1beta1"],
    sentence: "`status.ready` is a boolean",
    effect: "Cluster API v1.14.0 does not read it; earlier versions take the control plane for not ready",
    source: BOOK,
    check: field({ field: "status.ready", type: "boolean", absent: "fail" }),
  }),
  crdRule({
    id: "CP-30",
    level: "SHOULD",
    sentence:
      "`status.conditions` are conditions: under v1beta2 those of Kubernetes, a map by `type`; under v1beta1 those of Cluster API",
    effect:
      "core mirrors `Available`, `RollingOut`, `ScalingUp` and `ScalingDown` into conditions of the Cluster",
    source: BOOK,
    check: conditionsByContract,
  }),
  crdRule({
    id: "CP-31",
    level: "SHOULD",
    sentence:
      "`status.failureReason` and `status.failureMessage` are texts under v1beta1; v1beta2 has conditions instead",
    effect: "core copies them to `status.deprecated.v1beta1` of the Cluster; they end nothing",
    source: READER,
    check: expectedFailure,
  }),
  crdRule({
    id: "CP-32",
    level: "SHOULD",
    artefact: "A2",
    sentence: "The release has a CRD for the template of the kind, in the same group",
    effect: "a ClusterClass cannot create such control planes",
    source: BOOK,
    check: templateInRelease("warn"),
  }),
  crdRule({
    id: "CP-43",
    level: "SHOULD",
    artefact: "A2",
    sentence: "The manager accepts `--namespace` and `--watch-filter`",
    effect: "several managers of the provider cannot share a management cluster",
    source: BOOK,
    check: judgedAs("CTL-22", "CTL-23"),
  }),
  crdRule({
    id: "CP-45",
    level: "MUST",
    artefact: "A2",
    sentence: "The release keeps every rule of clusterctl",
    effect: "clusterctl refuses the release or leaves objects behind",
    source: book("clusterctl"),
    check: judgedAs("the CTL rules"),
  }),
];
