import { TEMPLATE_SUFFIX } from "../../../shared/api/indexes.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import {
  type MachineProviders,
  readMachineProviders,
} from "../../../shared/rules/providers/machine-providers.ts";

/** Reads both templates of a deployment, from snapshots (metadata only) or, given `read.live`, from the API server. */
export function readTemplates(
  read: Pick<Reader, "referenced">,
  { metadata, spec }: MachineDeployment,
): Promise<MachineProviders> {
  return readMachineProviders(read, spec.template.spec, metadata.namespace);
}

/** Whether a reference of a deployment is to a template, as every one should be. */
export function isTemplate({ kind }: { readonly kind: string }): boolean {
  return kind.endsWith(TEMPLATE_SUFFIX);
}
