import { type InfraMachinePoolField, infraMachinePoolPath } from "../../infra-machine-pool.ts";
import { na, pass, warn } from "../rule.ts";
import { book, type CrdRule, crdRule, onSchema } from "./crd-rule.ts";
import { field, having, listType, wideBounds } from "./fields.ts";
import { lookUp } from "./schema.ts";
import { conditionsByContract, failure, judgedAs, templateInRelease, templateShape } from "./shapes.ts";

const BOOK = book("infra-machinepool");
const READER = "core/reconcilers/machinepool/machinepool_controller_phases.go";

/** The path that our functions read; the same under both contracts. */
function at(field: InfraMachinePoolField): string {
  return infraMachinePoolPath("v1beta2", field);
}

/** Bounds of `spec.providerIDList`; says nothing where the field itself is wrong. */
const listBounds = onSchema(({ node, path }) => {
  const list = lookUp(node, at("providerIDList"), path);
  const items = lookUp(node, `${at("providerIDList")}.[]`, path);
  if (list.is !== "declared" || items.is !== "declared") return [na("spec.providerIDList is not a list")];
  const wide = [
    ...(listType(list.node) === "atomic" ? [] : [`x-kubernetes-list-type ${listType(list.node)}`]),
    ...wideBounds(list.node, { maxItems: 10_000 }),
    ...wideBounds(items.node, { minLength: 1, maxLength: 512 }).map((bound) => `items.${bound}`),
  ];
  const { path: place } = list;
  const expected = "x-kubernetes-list-type atomic, maxItems 10000, items.minLength 1, items.maxLength 512";
  return [
    wide.length === 0 ? pass({ path: place }) : warn({ path: place, found: wide.join(", "), expected }),
  ];
});

/** Rules on the CRD of a machine pool of a provider, by sections 3 and 4 of the contract. */
export const INFRA_MACHINE_POOL: readonly CrdRule[] = [
  crdRule({
    id: "IMP-13",
    level: "MUST",
    sentence: "`spec.providerIDList` is a list of texts",
    effect:
      "core copies it to the MachinePool once the pool is provisioned; a wrong type stops each reconcile with an error",
    source: READER,
    check: field({ field: at("providerIDList"), type: "array of string", absent: "fail" }),
  }),
  crdRule({
    id: "IMP-14",
    level: "SHOULD",
    sentence: "`spec.providerIDList` is atomic, has at most 10000 items, and items of 1 to 512 characters",
    effect:
      "core does not read the bounds; a list without them may grow beyond the limits of the MachinePool",
    source: BOOK,
    check: listBounds,
  }),
  crdRule({
    id: "IMP-15",
    level: "SHOULD",
    contracts: ["v1beta2"],
    sentence: "`status.initialization.provisioned` is a boolean",
    effect:
      "Cluster API v1.14.0 does not read it, although its book says MUST; Capstan and later versions read it where `status.ready` is absent",
    source: BOOK,
    check: field({ field: at("provisioned"), type: "boolean", absent: "warn" }),
  }),
  crdRule({
    id: "IMP-16",
    level: "MUST",
    sentence: "`status.ready` is a boolean",
    effect:
      "the only readiness that Cluster API v1.14.0 reads of a pool, under either contract: without it the MachinePool is never provisioned",
    source: READER,
    check: field({ field: at("ready"), type: "boolean", absent: "fail" }),
  }),
  crdRule({
    id: "IMP-17",
    level: "MUST",
    sentence: "`status.replicas` is an integer",
    effect: "core copies it to the MachinePool; a wrong type stops each reconcile with an error",
    source: READER,
    check: field({ field: at("replicas"), type: "integer", absent: "fail" }),
  }),
  crdRule({
    id: "IMP-18",
    level: "MAY",
    sentence: "`spec.providerID` is a text",
    effect: "core never reads it",
    source: BOOK,
    check: field({ field: "spec.providerID", type: "string", absent: "na", other: "warn" }),
  }),
  crdRule({
    id: "IMP-19",
    level: "MAY",
    sentence: "`status.instances` is a list of objects with `instanceName` and `providerID`",
    effect: "core never reads it",
    source: BOOK,
    check: field({
      field: "status.instances",
      type: "array of object",
      absent: "na",
      other: "warn",
      more: having(
        { name: "[].instanceName", type: "string", absent: "warn" },
        { name: "[].providerID", type: "string", absent: "warn" },
      ),
    }),
  }),
  crdRule({
    id: "IMP-20",
    level: "MUST",
    sentence: "`status.infrastructureMachineKind`, where machine pool machines are supported, is a text",
    effect:
      "core lists this kind in the group and version of the pool and applies a Machine for each object; a wrong type stops each reconcile",
    source: READER,
    check: field({ field: at("infrastructureMachineKind"), type: "string", absent: "na" }),
  }),
  crdRule({
    id: "IMP-22",
    level: "SHOULD",
    sentence:
      "`status.conditions` are conditions: under v1beta2 those of Kubernetes, a map by `type`; under v1beta1 those of Cluster API",
    effect:
      "core mirrors `Ready` into the condition InfrastructureReady of the MachinePool and reads no other field",
    source: BOOK,
    check: conditionsByContract,
  }),
  crdRule({
    id: "IMP-24",
    level: { v1beta1: "MAY", v1beta2: "SHOULD" },
    sentence: "`status.failureReason` and `status.failureMessage` are texts; v1beta2 has conditions instead",
    effect:
      "Cluster API v1.14.0 stops reconciling the MachinePool when a pool sets them (kubernetes-sigs/cluster-api#14234); Capstan copies them",
    source: READER,
    check: failure,
  }),
  crdRule({
    id: "IMP-26",
    level: "SHOULD",
    artefact: "A2",
    sentence: "The release has a CRD for the template of the kind, in the same group",
    effect: "a ClusterClass cannot create such pools",
    source: BOOK,
    check: templateInRelease("warn"),
  }),
  crdRule({
    id: "IMP-27",
    level: "MUST",
    on: "template",
    sentence:
      "A template has `spec.template.spec` and `spec.template.metadata`, and requires `spec.template`",
    effect:
      "the topology cannot clone from it, or loses the labels and annotations that it writes to `spec.template.metadata`",
    source: "internal/contract/infrastructure_machinepool_template.go",
    check: templateShape,
  }),
  crdRule({
    id: "IMP-31",
    level: "SHOULD",
    artefact: "A2",
    sentence: "The manager accepts `--namespace` and `--watch-filter`",
    effect: "several managers of the provider cannot share a management cluster",
    source: BOOK,
    check: judgedAs("CTL-22", "CTL-23"),
  }),
  crdRule({
    id: "IMP-32",
    level: "MUST",
    artefact: "A2",
    sentence: "The release keeps every rule of clusterctl",
    effect: "clusterctl refuses the release or leaves objects behind",
    source: book("clusterctl"),
    check: judgedAs("the CTL rules"),
  }),
];
