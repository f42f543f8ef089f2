import type { ContractVersion } from "../api/kinds.ts";

/** Field paths of one contract, by contract version; `undefined` where a version has no such field. */
type ContractPaths<Name extends string> = {
  readonly [Version in ContractVersion]: { readonly [Field in Name]: string | undefined };
};

/** The paths of `fields` under every contract version, for watches: a CRD may claim either. */
export function everyPath<Name extends string>(
  paths: ContractPaths<Name>,
  fields: readonly Name[],
): readonly string[] {
  const found = Object.values(paths).flatMap((version) => fields.map((field) => version[field]));
  return [...new Set(found)].filter((path) => path !== undefined);
}
