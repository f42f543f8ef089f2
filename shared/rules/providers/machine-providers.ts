import type { ContractReference, KubeObject } from "../../api/kinds.ts";
import { BootstrapConfig } from "../../contract/bootstrap-config.ts";
import type { Referenced } from "../../contract/referenced.ts";
import type { LiveReader, Reader } from "../../function/reads.ts";
import type { Provider } from "./adoption.ts";

/** The fields by which the provider objects of a Machine are found. */
export const REFERENCE_FIELDS = ["spec.bootstrap.configRef", "spec.infrastructureRef"] as const;

/** The references of a Machine; a pool and a set have them in `spec.template.spec`. */
interface MachineReferences {
  readonly bootstrap: { readonly configRef?: ContractReference | undefined };
  readonly infrastructureRef: ContractReference;
}

/** Reads of the provider objects of a Machine or pool, or of the templates of a set. */
export interface MachineProviders {
  /** The bootstrap object; `undefined`: `configRef` is absent. */
  readonly bootstrap: Referenced | undefined;
  readonly infrastructure: Referenced;
}

/** Reads both from snapshots or, given `read.live`, from the API server. */
export async function readMachineProviders(
  read: Pick<Reader, "referenced">,
  { bootstrap: { configRef }, infrastructureRef }: MachineReferences,
  namespace = "",
): Promise<MachineProviders> {
  const [bootstrap, infrastructure] = await Promise.all([
    configRef === undefined ? undefined : read.referenced(configRef, namespace),
    read.referenced(infrastructureRef, namespace),
  ]);
  return { bootstrap, infrastructure };
}

/** A set or a deployment: the template of its Machines references templates. */
interface Templated extends Pick<KubeObject, "metadata"> {
  readonly spec: { readonly template: { readonly spec: MachineReferences } };
}

/** Reads both templates of a set or a deployment, of which snapshots have the metadata only. */
export function readTemplates(
  read: Pick<Reader, "referenced">,
  { metadata, spec }: Templated,
): Promise<MachineProviders> {
  return readMachineProviders(read, spec.template.spec, metadata.namespace);
}

/** Returns the bootstrap config with its reference; `undefined`: `configRef` is absent. */
export function bootstrapAmong(
  { bootstrap: { configRef } }: MachineReferences,
  { bootstrap }: MachineProviders,
): Provider | undefined {
  return configRef === undefined || bootstrap === undefined
    ? undefined
    : { on: BootstrapConfig, reference: configRef, found: bootstrap };
}

/** An object whose status says that its infrastructure was there. */
interface Provisioned extends KubeObject {
  readonly status?:
    | {
        readonly initialization?: { readonly infrastructureProvisioned?: boolean | undefined } | undefined;
      }
    | undefined;
}

/**
 * Returns the providers as `snapshots` show them, but an infrastructure object that was there before is lost only when
 * the API server says so: the failure that follows is never taken back.
 */
export async function seeLostInfrastructure(
  live: Pick<LiveReader, "referenced">,
  { metadata, status }: Provisioned,
  { infrastructureRef }: MachineReferences,
  snapshots: MachineProviders,
): Promise<MachineProviders> {
  const provisioned = status?.initialization?.infrastructureProvisioned === true;
  if (!provisioned || snapshots.infrastructure.state !== "missing") return snapshots;
  const infrastructure = await live.referenced(infrastructureRef, metadata.namespace ?? "");
  return { ...snapshots, infrastructure };
}
