import { infraClusterPath } from "../../infra-cluster.ts";
import { book, type CrdRule, crdRule } from "./crd-rule.ts";
import {
  conditionsByContract,
  endpoint,
  failure,
  failureDomains,
  judgedAs,
  readiness,
  templateInRelease,
  templateShape,
} from "./shapes.ts";

const BOOK = book("infra-cluster");
const READER = "core/reconcilers/cluster/cluster_controller_phases.go";

/** Rules on the CRD of a provider's cluster, by sections 3 and 4A of the contract. */
export const INFRA_CLUSTER: readonly CrdRule[] = [
  crdRule({
    id: "IC-13",
    level: "MUST",
    sentence:
      "`spec.controlPlaneEndpoint`, where the provider supplies it, has `host` as a text and `port` as an integer, both optional under v1beta2",
    effect:
      "core copies it to the Cluster once the infrastructure is provisioned; a wrong type stops each reconcile with an error",
    source: READER,
    check: endpoint,
  }),
  crdRule({
    id: "IC-14",
    level: "MUST",
    sentence:
      "`status.failureDomains`, where the provider knows them, is a list with `name` under v1beta2 and a map under v1beta1",
    effect:
      "core replaces the failure domains of the Cluster on each reconcile; the shape of the other contract stops each reconcile with an error",
    source: READER,
    check: failureDomains,
  }),
  crdRule({
    id: "IC-15",
    level: "MUST",
    sentence: "`status.initialization.provisioned` under v1beta2, `status.ready` under v1beta1, is a boolean",
    effect: "the Cluster is never provisioned",
    source: READER,
    check: readiness((contract) => infraClusterPath(contract, "provisioned")),
  }),
  crdRule({
    id: "IC-16",
    level: "SHOULD",
    sentence:
      "`status.conditions` are conditions: under v1beta2 those of Kubernetes, a map by `type`; under v1beta1 those of Cluster API",
    effect:
      "core mirrors `Ready` into the condition InfrastructureReady of the Cluster and reads no other field",
    source: BOOK,
    check: conditionsByContract,
  }),
  crdRule({
    id: "IC-17",
    level: { v1beta1: "MAY", v1beta2: "SHOULD" },
    sentence: "`status.failureReason` and `status.failureMessage` are texts; v1beta2 has conditions instead",
    effect: "core copies them to `status.deprecated.v1beta1` of the Cluster; they end nothing",
    source: READER,
    check: failure,
  }),
  crdRule({
    id: "IC-18",
    level: "SHOULD",
    artefact: "A2",
    sentence: "The release has a CRD for the template of the kind, in the same group",
    effect: "a ClusterClass cannot create such clusters",
    source: BOOK,
    check: templateInRelease("warn"),
  }),
  crdRule({
    id: "IC-19",
    level: "MUST",
    on: "template",
    sentence:
      "A template has `spec.template.spec` and `spec.template.metadata`, and requires `spec.template`",
    effect:
      "the topology cannot clone from it, or loses the labels and annotations that it writes to `spec.template.metadata`",
    source: "internal/contract/infrastructure_cluster_template.go",
    check: templateShape,
  }),
  crdRule({
    id: "IC-24",
    level: "SHOULD",
    artefact: "A2",
    sentence: "The manager accepts `--namespace` and `--watch-filter`",
    effect: "several managers of the provider cannot share a management cluster",
    source: BOOK,
    check: judgedAs("CTL-22", "CTL-23"),
  }),
];
