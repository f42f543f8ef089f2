import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { time } from "../../../shared/api/meta.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import { timestamp } from "../../../shared/rules/conditions/conditions.ts";
import { truncate } from "../../../shared/rules/conditions/truncate.ts";
import { isControlPlaneMachine } from "../../../shared/rules/machines/control-plane-machine.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import { ownObject } from "./adoption.ts";

const ANNOTATION = "machine.cluster.x-k8s.io/certificates-expiry";
/** The field of a Machine, and of its config, that `certificatesExpiry` reads. */
export const CERTIFICATE_FIELDS = [`metadata.annotations[${ANNOTATION}]`] as const;

export interface CertificatesReport {
  /** The new `status.certificatesExpiryDate`; `undefined` clears it. */
  readonly expiryDate?: string | undefined;
  readonly events: readonly Notice[];
}

/**
 * Returns when the certificates of a control plane Machine expire: as its own annotation says, else as that of its
 * config.
 * Differs: a malformed date is an Event and keeps the last one; upstream it stops the reconciler.
 */
export function certificatesExpiry(machine: Machine, { bootstrap }: MachineProviders): CertificatesReport {
  if (!isControlPlaneMachine(machine)) return { events: [] };
  const config = ownObject(machine, bootstrap)?.object;
  const [source, value] = [machine, config].map(annotated).find((found) => found !== undefined) ?? [];
  if (source === undefined || value === undefined) return { events: [] };
  if (time.safeParse(value).success) return { expiryDate: timestamp(new Date(value)), events: [] };
  const message = `${source} has annotation ${ANNOTATION} ${truncate(JSON.stringify(value), 100)}, which is not an RFC 3339 time; correct or remove it`;
  return {
    expiryDate: machine.status?.certificatesExpiryDate,
    events: [{ type: "Warning", reason: "InvalidCertificatesExpiry", message }],
  };
}

function annotated(object: KubeObject | undefined): readonly [string, string] | undefined {
  const value = object?.metadata.annotations?.[ANNOTATION];
  return object === undefined || value === undefined
    ? undefined
    : [`${object.kind} ${object.metadata.name}`, value];
}
