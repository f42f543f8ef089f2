import {
  boolYaml11Tag,
  FAILSAFE_SCHEMA,
  floatYaml11Tag,
  intYaml11Tag,
  mergeTag,
  NOT_RESOLVED,
  nullYaml11Tag,
  Schema,
} from "js-yaml";
import { integerOf, type LongInteger } from "./long-integer.ts";

const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const OCTAL = /^0[oO]?(?=[0-7])/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;

/**
 * Plain scalars as Kubernetes reads them: YAML 1.1, where `y` and `no` are booleans and `010` is 8; times and dates are
 * texts, and `1:30` is not a number. Source: kubernetes-sigs/yaml, goyaml.v2/resolve.go
 */
export const KUBERNETES_SCHEMA = new Schema([
  ...FAILSAFE_SCHEMA.tags,
  nullYaml11Tag,
  boolYaml11Tag,
  { ...intYaml11Tag, resolve: (source) => numberOf(source.replaceAll("_", "")) ?? NOT_RESOLVED },
  { ...floatYaml11Tag, resolve: (source) => floatOf(source.replaceAll("_", "")) ?? NOT_RESOLVED },
  mergeTag,
]);

function numberOf(source: string): number | LongInteger | undefined {
  const [, sign, digits] = INTEGER.exec(source) ?? [];
  if (digits === undefined) return undefined;
  const value = BigInt(digits.replace(OCTAL, "0o"));
  return integerOf(sign === "-" ? -value : value);
}

/** Returns undefined for `.inf` and `.nan`, too: JSON has neither. */
function floatOf(source: string): number | undefined {
  const value = FLOAT.test(source) ? Number(source) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}
