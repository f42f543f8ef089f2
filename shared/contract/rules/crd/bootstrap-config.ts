import { bootstrapConfigPath } from "../../bootstrap-config.ts";
import { book, byContract, type CrdRule, crdRule } from "./crd-rule.ts";
import { bounded, field } from "./fields.ts";
import { conditionsByContract, failure, readiness, templateInRelease, templateShape } from "./shapes.ts";

const BOOK = book("bootstrap-config");
const READER = "core/reconcilers/machine/machine_controller_phases.go";
const NAME = {
  field: bootstrapConfigPath("v1beta2", "dataSecretName"),
  type: "string",
  absent: "fail",
} as const;

/** Rules on the CRD of a bootstrap config, by sections 3 and 4A of the contract. */
export const BOOTSTRAP_CONFIG: readonly CrdRule[] = [
  crdRule({
    id: "BC-13",
    level: "MUST",
    sentence: "`status.dataSecretName` is a text, under v1beta2 of 1 to 253 characters",
    effect:
      "core copies it to Machines and MachinePools once the data are there; without a name each reconcile ends with an error",
    source: READER,
    check: byContract({
      v1beta2: field({ ...NAME, more: bounded({ minLength: 1, maxLength: 253 }) }),
      v1beta1: field(NAME),
    }),
  }),
  crdRule({
    id: "BC-14",
    level: "MUST",
    sentence:
      "`status.initialization.dataSecretCreated` under v1beta2, `status.ready` under v1beta1, is a boolean",
    effect: "Machines and MachinePools wait for their bootstrap data without an end",
    source: READER,
    check: readiness((contract) => bootstrapConfigPath(contract, "dataSecretCreated")),
  }),
  crdRule({
    id: "BC-15",
    level: "SHOULD",
    sentence:
      "`status.conditions` are conditions: under v1beta2 those of Kubernetes, a map by `type`; under v1beta1 those of Cluster API",
    effect: "core mirrors `Ready` into the condition BootstrapConfigReady and reads no other field",
    source: BOOK,
    check: conditionsByContract,
  }),
  crdRule({
    id: "BC-16",
    level: { v1beta1: "MAY", v1beta2: "SHOULD" },
    sentence: "`status.failureReason` and `status.failureMessage` are texts; v1beta2 has conditions instead",
    effect: "core copies them to `status.deprecated.v1beta1` of the Machine; they end nothing",
    source: READER,
    check: failure,
  }),
  crdRule({
    id: "BC-17",
    level: "MUST",
    artefact: "A2",
    sentence: "The release has a CRD for the template of the kind, in the same group",
    effect: "MachineSets have nothing to clone bootstrap configs from",
    source: BOOK,
    check: templateInRelease("fail"),
  }),
  crdRule({
    id: "BC-18",
    level: "MUST",
    on: "template",
    sentence:
      "A template has `spec.template.spec` and `spec.template.metadata`, and requires `spec.template`",
    effect: "MachineSets cannot clone from it, or labels and annotations for its configs are lost",
    source: "internal/contract/bootstrap_config_template.go",
    check: templateShape,
  }),
];
