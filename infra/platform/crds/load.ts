import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { KINDS } from "../../../shared/api/registry.ts";
import type { ConversionClient } from "./crd.ts";

/**
 * Returns the CRDs of kinds, those of the core by default, as `generated/` holds them, in their order, with older versions
 * where `converting` says who converts them. They are built from the schemas, which are loaded anyway, in a fifth of the
 * time of parsing the YAML; a test proves that both are the same.
 */
export async function loadCrds(
  kinds: readonly Kind[] = KINDS,
  converting?: ConversionClient,
): Promise<readonly KubeObject[]> {
  const { toCrd } = await import("./crd.ts");
  return kinds.flatMap((kind) => toCrd(kind, converting) ?? []);
}
