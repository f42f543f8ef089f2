import type { ContractVersion } from "../../../api/kinds.ts";
import { controlPlanePath } from "../../control-plane.ts";
import { fail, type Judgement, na, pass, warn } from "../rule.ts";
import { allOf, byContract, type Check, onSchema, versionPath } from "./crd-rule.ts";
import { bounded, field, having, judgeField, keyedBy, together } from "./fields.ts";
import { lookUp, requiredOf } from "./schema.ts";
import type { CrdSubject } from "./subject.ts";

/** A check that holds only where the schema declares a field. */
function where(name: string, check: Check): Check {
  return (subject) => {
    const absent = onSchema(({ node, path }) =>
      lookUp(node, name, path).is === "absent" ? [na(`${name} is not declared`)] : [],
    )(subject);
    return absent.length > 0 ? absent : check(subject);
  };
}

const REPLICAS = controlPlanePath("v1beta2", "desiredReplicas");
const VERSION = controlPlanePath("v1beta2", "version");

export const replicas: Check = field({ field: REPLICAS, type: "integer", absent: "na" });

const COUNTERS = [
  "replicas",
  "readyReplicas",
  "availableReplicas",
  "unavailableReplicas",
  "upToDateReplicas",
] as const;

/** The counters that our functions read under a contract: not all exist in both. */
function integers(contract: ContractVersion): Check {
  const paths = COUNTERS.flatMap((name) => controlPlanePath(contract, name) ?? []);
  return allOf(...paths.map((path) => field({ field: path, type: "integer", absent: "fail" })));
}

export const counters: Check = where(
  REPLICAS,
  byContract({
    v1beta2: integers("v1beta2"),
    v1beta1: integers("v1beta1"),
  }),
);

export const selector: Check = where(
  REPLICAS,
  field({ field: "status.selector", type: "string", absent: "fail" }),
);

const SCALE = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".status.selector",
} as const;

export const scalePaths: Check = where(REPLICAS, ({ picked: { name, version: of } }: CrdSubject) => {
  if (of === undefined) return [na(`the CRD has no version ${name}`)];
  const path = `${versionPath(name)}.subresources.scale`;
  const { scale } = of.subresources;
  if (scale === undefined)
    return [fail({ path, found: "absent", expected: Object.values(SCALE).join(", ") })];
  const wrong = Object.entries(SCALE).flatMap(([member, expected]): Judgement[] => {
    const found = scale[member as keyof typeof SCALE] ?? "absent";
    return found === expected ? [] : [fail({ path: `${path}.${member}`, found, expected })];
  });
  return wrong.length === 0 ? [pass({ path })] : wrong;
});

export const version: Check = onSchema(({ node, path }, { contract }) => {
  const said = judgeField(node, path, {
    field: VERSION,
    type: "string",
    absent: "na",
    more: contract === "v1beta2" ? bounded({ minLength: 1, maxLength: 256 }) : () => [],
  });
  const spec = lookUp(node, "spec", path);
  const isDeclared = said.every(({ verdict }) => verdict === "pass" || verdict === "warn");
  if (!isDeclared || spec.is !== "declared" || requiredOf(spec.node).includes("version")) return said;
  const optional = warn({
    path: `${spec.path}.required`,
    found: "version is optional",
    expected: "version",
    effect:
      "the API server takes a control plane without version, and nothing says which one its Machines get",
  });
  return [...said.filter(({ verdict }) => verdict !== "pass"), optional];
});

const VERSIONS = {
  field: controlPlanePath("v1beta2", "versions"),
  type: "array of object",
  absent: "na",
  more: together(
    having({ name: "[].version", type: "string" }, { name: "[].replicas", type: "integer", absent: "warn" }),
    keyedBy("version"),
    bounded({ minItems: 1, maxItems: 100 }),
  ),
} as const;

const versionOfStatus = { field: controlPlanePath("v1beta2", "lowestVersion"), type: "string" } as const;

export const statusVersion: Check = where(
  VERSION,
  byContract({
    v1beta2: onSchema(({ node, path }) => {
      const list = judgeField(node, path, VERSIONS);
      if (list.some(({ verdict }) => verdict !== "na")) return list;
      const [one] = judgeField(node, path, { ...versionOfStatus, absent: "fail" });
      if (one?.verdict !== "pass") return one === undefined ? [] : [one];
      const expected = "status.versions";
      const effect = "while versions are mixed core knows the lowest one alone";
      return [warn({ path: one.path, found: "status.version only", expected, effect })];
    }),
    v1beta1: field({ ...versionOfStatus, absent: "fail" }),
  }),
);
