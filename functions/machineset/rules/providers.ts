import type { MachineSet } from "../../../shared/api/machineset.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import type { Reader } from "../../../shared/function/reads.ts";

/** Both templates of a set, as they were read; `bootstrap` is undefined where no config is wanted. */
export interface SetTemplates {
  readonly bootstrap: Referenced | undefined;
  readonly infrastructure: Referenced;
}

/** The templates from snapshots (metadata only) or, given `read.live`, from the API server. */
export async function readTemplates(
  read: Pick<Reader, "referenced">,
  { metadata, spec }: MachineSet,
): Promise<SetTemplates> {
  const { bootstrap, infrastructureRef } = spec.template.spec;
  const namespace = metadata.namespace ?? "";
  const [config, infrastructure] = await Promise.all([
    bootstrap.configRef === undefined ? undefined : read.referenced(bootstrap.configRef, namespace),
    read.referenced(infrastructureRef, namespace),
  ]);
  return { bootstrap: config, infrastructure };
}
