import { type InfraMachineField, infraMachinePath } from "../../infra-machine.ts";
import { na, warn } from "../rule.ts";
import { book, byContract, type Check, type CrdRule, crdRule, onSchema, versionPath } from "./crd-rule.ts";
import { bounded, field, givenUp, having, judgeField, optional } from "./fields.ts";
import {
  conditionsByContract,
  failure,
  judgedAs,
  readiness,
  templateInRelease,
  templateShape,
} from "./shapes.ts";

const BOOK = book("infra-machine");
const READER = "core/reconcilers/machine/machine_controller_phases.go";

/** The path that our functions read; the same under both contracts. */
function at(field: Exclude<InfraMachineField, "provisioned">): string {
  return infraMachinePath("v1beta2", field);
}

const POOL_MACHINE = /MachinePoolMachine$/;

const ownTemplate: Check = (subject) => {
  if (POOL_MACHINE.test(subject.crd.names.kind)) return [na("machines of pools are made without a template")];
  return templateInRelease("fail")(subject);
};

/** Fields by which the autoscaler starts a group from zero. */
const capacity = onSchema(({ node, path }, { picked }) => {
  const fields = ["status.capacity", "status.nodeInfo"];
  const said = fields
    .flatMap((name) => judgeField(node, path, { field: name, type: "object", absent: "na" }))
    .filter(({ verdict }) => verdict !== "na");
  if (said.length === 0) return [na(`${fields.join(" and ")} are not declared`)];
  if (picked.version?.subresources.status === true) return said;
  const at = `${versionPath(picked.name)}.subresources.status`;
  return [
    ...said.filter(({ verdict }) => verdict !== "pass"),
    warn({ path: at, found: "absent", expected: "{}" }),
  ];
});

/** Rules on the CRD of a provider's machine, by sections 3 and 4A of the contract. */
export const INFRA_MACHINE: readonly CrdRule[] = [
  crdRule({
    id: "IM-13",
    level: "MUST",
    sentence: "`spec.providerID` is a text",
    effect: "core copies it to the Machine once that is provisioned, and waits as long as it is empty",
    source: READER,
    check: field({ field: at("providerID"), type: "string", absent: "fail" }),
  }),
  crdRule({
    id: "IM-14",
    level: "MUST",
    sentence:
      "`status.failureDomain`, where the provider knows it, is a text; under v1beta2 of 1 to 256 characters",
    effect: "core copies it to the status of the Machine; a wrong type stops each reconcile with an error",
    source: READER,
    check: byContract({
      v1beta2: field({
        field: at("failureDomain"),
        type: "string",
        absent: "na",
        more: bounded({ minLength: 1, maxLength: 256 }),
      }),
      v1beta1: optional("string", at("failureDomain")),
    }),
  }),
  crdRule({
    id: "IM-15",
    level: { v1beta1: "MAY", v1beta2: "SHOULD" },
    sentence: "`spec.failureDomain` is a text under v1beta1 and absent under v1beta2",
    effect: "core still overwrites the failure domain of the Machine with it, under both contracts",
    source: READER,
    check: byContract({
      v1beta2: givenUp(at("wantedFailureDomain")),
      v1beta1: optional("string", at("wantedFailureDomain")),
    }),
  }),
  crdRule({
    id: "IM-16",
    level: "MAY",
    sentence: "`status.addresses` is a list of objects with `type` and `address` as texts",
    effect: "core copies them to the Machine; a wrong type stops each reconcile with an error",
    source: READER,
    check: field({
      field: at("addresses"),
      type: "array of object",
      absent: "na",
      more: having({ name: "[].type", type: "string" }, { name: "[].address", type: "string" }),
    }),
  }),
  crdRule({
    id: "IM-17",
    level: "MUST",
    sentence: "`status.initialization.provisioned` under v1beta2, `status.ready` under v1beta1, is a boolean",
    effect: "the Machine is never provisioned, and its provider ID is not read",
    source: READER,
    check: readiness((contract) => infraMachinePath(contract, "provisioned")),
  }),
  crdRule({
    id: "IM-18",
    level: "SHOULD",
    sentence:
      "`status.conditions` are conditions: under v1beta2 those of Kubernetes, a map by `type`; under v1beta1 those of Cluster API",
    effect:
      "core mirrors `Ready` into the condition InfrastructureReady of the Machine and reads no other field",
    source: BOOK,
    check: conditionsByContract,
  }),
  crdRule({
    id: "IM-19",
    level: { v1beta1: "MAY", v1beta2: "SHOULD" },
    sentence: "`status.failureReason` and `status.failureMessage` are texts; v1beta2 has conditions instead",
    effect: "core copies them to `status.deprecated.v1beta1` of the Machine; they end nothing",
    source: READER,
    check: failure,
  }),
  crdRule({
    id: "IM-20",
    level: "MUST",
    artefact: "A2",
    sentence: "The release has a CRD for the template of the kind, in the same group",
    effect: "MachineSets and control planes have nothing to clone machines from",
    source: BOOK,
    check: ownTemplate,
  }),
  crdRule({
    id: "IM-21",
    level: "MUST",
    on: "template",
    sentence:
      "A template has `spec.template.spec` and `spec.template.metadata`, and requires `spec.template`",
    effect:
      "MachineSets and control planes cannot clone from it, or labels and annotations for its machines are lost",
    source: "internal/contract/infrastructure_machine_template.go",
    check: templateShape,
  }),
  crdRule({
    id: "IM-22",
    level: "MAY",
    on: "template",
    sentence:
      "A template may have `status.capacity` and `status.nodeInfo` as objects, with the status subresource",
    effect: "the cluster autoscaler cannot start a group of such machines from zero",
    source: BOOK,
    check: capacity,
  }),
  crdRule({
    id: "IM-26",
    level: "SHOULD",
    artefact: "A2",
    sentence: "The manager accepts `--namespace` and `--watch-filter`",
    effect: "several managers of the provider cannot share a management cluster",
    source: BOOK,
    check: judgedAs("CTL-22", "CTL-23"),
  }),
];
