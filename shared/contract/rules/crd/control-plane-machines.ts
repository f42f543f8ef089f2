import type { ContractVersion } from "../../../api/kinds.ts";
import { fail, type Judgement, na, pass, unknown, warn } from "../rule.ts";
import { byContract, type Check, type CrdRule, crdRule, onSchema } from "./crd-rule.ts";
import { bounded, field, judgeField, keyedBy, together } from "./fields.ts";
import { fieldsOf, lookUp } from "./schema.ts";
import { templateMetadata, templateShape } from "./shapes.ts";
import type { SchemaNode } from "./subject.ts";

const READER = "internal/contract/controlplane.go";
const MACHINES = "spec.machineTemplate";

/** Members of the reference to the template of infrastructure machines, and those of the other contract. */
const REFERENCE: {
  readonly [version in ContractVersion]: {
    readonly field: string;
    readonly members: readonly string[];
    readonly foreign: readonly string[];
  };
} = {
  v1beta2: {
    field: `${MACHINES}.spec.infrastructureRef`,
    members: ["apiGroup", "kind", "name"],
    foreign: ["apiVersion", "namespace"],
  },
  v1beta1: {
    field: `${MACHINES}.infrastructureRef`,
    members: ["apiVersion", "kind", "name", "namespace"],
    foreign: ["apiGroup"],
  },
};

/** Returns how a control plane has its machine template: `placeholder` means that values are pruned. */
function machinesOf(root: SchemaNode, at: string): "absent" | "placeholder" | "open" | "declared" {
  const found = lookUp(root, MACHINES, at);
  if (found.is !== "declared") return found.is;
  if (fieldsOf(found.node).length > 0) return "declared";
  return found.node["x-kubernetes-preserve-unknown-fields"] === true ? "open" : "placeholder";
}

const machineTemplate: Check = onSchema(({ node, path }, { contract }) => {
  const at = lookUp(node, MACHINES, path).path;
  const { field: reference, members, foreign } = REFERENCE[contract];
  switch (machinesOf(node, path)) {
    case "absent":
      return [na("the instances are not Machines", { path: at })];
    case "open":
      return [
        unknown(`${MACHINES} is inside x-kubernetes-preserve-unknown-fields; an object (A3) decides`, {
          path: at,
        }),
      ];
    case "placeholder":
      return [warn({ path: at, found: "no member", expected: `metadata and ${reference}` })];
    case "declared": {
      const wanted = [`${MACHINES}.metadata`, ...members.map((name) => `${reference}.${name}`)];
      const said = wanted.flatMap((name) =>
        judgeField(node, path, {
          field: name,
          type: name.endsWith("metadata") ? "object" : "string",
          absent: "fail",
        }),
      );
      const wrong = [
        ...said.filter(({ verdict }) => verdict !== "pass"),
        ...foreignMembers(node, path, reference, foreign),
      ];
      return wrong.length === 0 ? [pass({ path: at })] : wrong;
    }
  }
});

function foreignMembers(
  root: SchemaNode,
  at: string,
  reference: string,
  names: readonly string[],
): readonly Judgement[] {
  return names.flatMap((name) => {
    const found = lookUp(root, `${reference}.${name}`, at);
    const effect = "the reference has the shape of the other contract, and core does not find what it names";
    return found.is === "declared"
      ? [fail({ path: found.path, found: name, expected: "absent", effect })]
      : [];
  });
}

/** A check of a member of the machine template, where it has members. */
function ofMachines(check: Check): Check {
  return (subject) => {
    const skipped = onSchema(({ node, path }) => {
      const state = machinesOf(node, path);
      if (state === "absent") return [na("the instances are not Machines")];
      return state === "placeholder" ? [na(`${MACHINES} has no member`)] : [];
    })(subject);
    return skipped.length > 0 ? skipped : check(subject);
  };
}

const TIMEOUTS = ["nodeDrainTimeout", "nodeVolumeDetachTimeout", "nodeDeletionTimeout"];

const timeouts: Check = ofMachines(
  onSchema(({ node, path }, { contract }) =>
    TIMEOUTS.flatMap((name) =>
      contract === "v1beta2"
        ? judgeField(node, path, {
            field: `${MACHINES}.spec.deletion.${name}Seconds`,
            type: "integer",
            absent: "warn",
            more: bounded({ minimum: 0 }),
          })
        : judgeField(node, path, { field: `${MACHINES}.${name}`, type: "string", absent: "warn" }),
    ),
  ),
);

function list(name: string, maxItems: number, ...keys: readonly string[]): Check {
  const of = { type: "array of object", absent: "na" } as const;
  return ofMachines(
    byContract({
      v1beta2: field({
        ...of,
        field: `${MACHINES}.spec.${name}`,
        more: together(keyedBy(...keys), bounded({ minItems: 1, maxItems })),
      }),
      v1beta1: field({ ...of, field: `${MACHINES}.${name}` }),
    }),
  );
}

/** Judges where the topology writes the metadata of machines: in the template of the control plane. */
const template: Check = (subject) => {
  const shape = templateShape(subject);
  const machines = "spec.template.spec.machineTemplate";
  const metadata = onSchema(({ node, path }) => {
    const found = lookUp(node, machines, path);
    const hasMembers = found.is === "declared" && fieldsOf(found.node).length > 0;
    return hasMembers ? templateMetadata(node, path, `${machines}.metadata`) : [];
  })(subject);
  const wrong = [...shape, ...metadata].filter(({ verdict }) => verdict !== "pass");
  return wrong.length === 0 ? [pass()] : wrong;
};

/** Rules on the machines of a control plane. */
export const CONTROL_PLANE_MACHINES: readonly CrdRule[] = [
  crdRule({
    id: "CP-21",
    level: "MUST",
    sentence:
      "`spec.machineTemplate`, where the instances are Machines, has `metadata` and the reference `infrastructureRef` in the shape of the contract",
    effect: "the topology and `clusterctl describe` read exactly this path, and a missing member is an error",
    source: READER,
    check: machineTemplate,
  }),
  crdRule({
    id: "CP-22",
    level: "MUST",
    sentence:
      "The machine template has the timeouts for drain, volumes and deletion: seconds below `spec.deletion` under v1beta2, durations under v1beta1",
    effect: "the topology writes timeouts that a user sets, and the API server drops or refuses them",
    source: READER,
    check: timeouts,
  }),
  crdRule({
    id: "CP-24",
    level: "SHOULD",
    sentence:
      "`readinessGates` of the machine template are a list, under v1beta2 a map by `conditionType` of 1 to 32 items",
    effect: "the topology writes gates that a ClusterClass sets, and the API server drops or refuses them",
    source: READER,
    check: list("readinessGates", 32, "conditionType"),
  }),
  crdRule({
    id: "CP-25",
    level: "SHOULD",
    sentence:
      "`taints` of the machine template are a list, under v1beta2 a map by `key` and `effect` of 1 to 64 items",
    effect: "the topology writes taints that a ClusterClass sets, and the API server drops or refuses them",
    source: READER,
    check: list("taints", 64, "key", "effect"),
  }),
  crdRule({
    id: "CP-33",
    level: "MUST",
    on: "template",
    sentence:
      "A template has `spec.template.spec`, `spec.template.metadata` and the metadata of its machine template, and requires `spec.template`",
    effect:
      "the topology cannot clone from it, or loses the labels and annotations that it writes to both metadata",
    source: "internal/contract/controlplane_template.go",
    check: template,
  }),
];
