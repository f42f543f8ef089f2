import type { ContractVersion } from "../../../api/kinds.ts";
import { FAILURE } from "../../failure.ts";
import { fail, type Judgement, na, pass, unknown, warn } from "../rule.ts";
import { allOf, byContract, type Check, onSchema } from "./crd-rule.ts";
import { bounded, field, givenUp, having, judgeField, keyedBy, optional, together } from "./fields.ts";
import { lookUp, requiredOf, typeOf } from "./schema.ts";
import type { CrdSubject, SchemaNode } from "./subject.ts";

/*
 * Shapes that several contracts share.
 */

const CONDITION_MEMBERS = ["reason", "message", "lastTransitionTime", "observedGeneration"];

/** `status.conditions`, in the shape of Kubernetes under v1beta2. */
const conditions: Check = field({
  field: "status.conditions",
  type: "array of object",
  absent: "warn",
  more: having({ name: "[].type", type: "string" }, { name: "[].status", type: "string" }),
});

/** The same, with the demands of v1beta2. */
const conditionsOfNow: Check = field({
  field: "status.conditions",
  type: "array of object",
  absent: "warn",
  more: together(
    having({ name: "[].type", type: "string" }, { name: "[].status", type: "string" }),
    having(
      ...CONDITION_MEMBERS.map((name) => ({
        name: `[].${name}`,
        type: name === "observedGeneration" ? "integer" : "string",
        absent: "warn" as const,
      })),
    ),
    keyedBy("type"),
    ({ node, path }) => {
      const severity = lookUp(node, "[].severity", path);
      if (severity.is !== "declared") return [];
      const effect = "the schema keeps a member that conditions of Kubernetes do not have";
      return [warn({ path: severity.path, found: typeOf(severity.node), expected: "absent", effect })];
    },
  ),
});

export const conditionsByContract = byContract({ v1beta1: conditions, v1beta2: conditionsOfNow });

const FAILURE_PATHS = Object.values(FAILURE);

/** `status.failureReason` and `status.failureMessage`: given up by v1beta2. */
export const failure = byContract({
  v1beta1: optional("string", ...FAILURE_PATHS),
  v1beta2: givenUp(...FAILURE_PATHS),
});

/** The same where the contract v1beta1 asks for them. */
export const expectedFailure = byContract({
  v1beta1: allOf(...FAILURE_PATHS.map((name) => field({ field: name, type: "string", absent: "warn" }))),
  v1beta2: givenUp(...FAILURE_PATHS),
});

/** `spec.controlPlaneEndpoint` with `host` and `port`. */
export const endpoint: Check = onSchema(({ node, path }, { contract }) => {
  const of = lookUp(node, "spec.controlPlaneEndpoint", path);
  if (of.is === "absent") return [na("spec.controlPlaneEndpoint is not declared", { path: of.path })];
  const members = ["host", "port"] as const;
  const said = members.flatMap((name) =>
    judgeField(node, path, {
      field: `spec.controlPlaneEndpoint.${name}`,
      type: name === "host" ? "string" : "integer",
      absent: "na",
    }),
  );
  if (said.every(({ verdict }) => verdict === "na"))
    return [na("the endpoint has neither host nor port", { path: of.path })];
  const judged = said.map((one) =>
    one.verdict === "na" ? fail({ path: one.path, found: "absent", expected: "host and port" }) : one,
  );
  if (of.is !== "declared" || contract === "v1beta1") return judged;
  const forced = requiredOf(of.node).filter((name) => name === "host" || name === "port");
  if (forced.length === 0) return judged;
  const required = warn({
    path: `${of.path}.required`,
    found: forced.join(", "),
    expected: "neither host nor port",
    effect: "an endpoint that is not known yet cannot be left out",
  });
  return [...judged.filter(({ verdict }) => verdict !== "pass"), required];
});

const DOMAIN_MEMBERS = [
  { name: "controlPlane", type: "boolean", absent: "na" },
  { name: "attributes", type: "object", absent: "na" },
] as const;

/** `status.failureDomains`: a list under v1beta2, a map under v1beta1. */
export const failureDomains = byContract({
  v1beta2: field({
    field: "status.failureDomains",
    type: "array of object",
    absent: "na",
    more: together(
      having(
        { name: "[].name", type: "string" },
        ...DOMAIN_MEMBERS.map((member) => ({ ...member, name: `[].${member.name}` })),
      ),
      keyedBy("name"),
      bounded({ minItems: 1, maxItems: 100 }),
    ),
  }),
  v1beta1: field({
    field: "status.failureDomains",
    type: "object",
    absent: "na",
    more: having(
      { name: "{}", type: "object" },
      ...DOMAIN_MEMBERS.map((member) => ({ ...member, name: `{}.${member.name}` })),
    ),
  }),
});

/** `spec.template` of a template: where core clones from and the topology writes metadata. */
export const templateShape: Check = onSchema(({ node, path }) => {
  const said = [
    ...judgeField(node, path, { field: "spec.template.spec", type: "object", absent: "fail" }),
    ...templateMetadata(node, path, "spec.template.metadata"),
  ];
  const spec = lookUp(node, "spec", path);
  const isRequired = spec.is !== "declared" || requiredOf(spec.node).includes("template");
  const broken = said.filter(({ verdict }) => verdict !== "pass");
  if (!isRequired && !broken.some(({ verdict }) => verdict === "fail"))
    broken.push(
      warn({
        path: `${spec.path}.required`,
        found: "template is optional",
        expected: "template",
        effect: "the API server takes a template from which nothing can be cloned",
      }),
    );
  return broken.length === 0 ? [pass()] : broken;
});

export function templateMetadata(root: SchemaNode, at: string, name: string): readonly Judgement[] {
  return judgeField(root, at, {
    field: name,
    type: "object",
    absent: "warn",
    more: having(
      { name: "labels", type: "object", absent: "warn" },
      { name: "annotations", type: "object", absent: "warn" },
    ),
  });
}

/** The release has a CRD for the template of this kind, in the same group. */
export function templateInRelease(absent: "fail" | "warn"): Check {
  return ({ crd: { group, names }, release }: CrdSubject) => {
    if (release === undefined) return [unknown(NEEDS_RELEASE)];
    const expected = `${names.kind}Template`;
    const isThere = release.crds.some((one) => one.group === group && one.names.kind === expected);
    return [isThere ? pass() : (absent === "fail" ? fail : warn)({ found: "absent", expected })];
  };
}

export const NEEDS_RELEASE = "only the release (A2) decides this";

/** Rules that the clusterctl rules judge on the whole release. */
export function judgedAs(...rules: readonly string[]): Check {
  return ({ release }) => [
    release === undefined ? unknown(NEEDS_RELEASE) : na(`judged on the release as ${rules.join(" and ")}`),
  ];
}

/** A boolean whose path follows the contract: the one that our functions read. */
export function readiness(pathOf: (contract: ContractVersion) => string): Check {
  const check = (contract: ContractVersion) =>
    field({ field: pathOf(contract), type: "boolean", absent: "fail" });
  return byContract({ v1beta2: check("v1beta2"), v1beta1: check("v1beta1") });
}
