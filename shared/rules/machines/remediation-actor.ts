import type { Machine } from "../../api/machine/machine.ts";
import type { MachineHealthCheck } from "../../api/machinehealthcheck.ts";
import { controllerOf } from "../metadata/owner-references.ts";
import { kindOfClones } from "./clones.ts";

/** The object by which a Machine is remediated: its owner, or a request to an external controller. */
export interface RemediationActor {
  readonly apiVersion: string;
  readonly kind: string;
  /** The name in the namespace of the Machine. */
  readonly name: string;
}

/** Returns what acts on a Machine that this health check hands over; `undefined`: it has neither template nor owner. */
export function remediationActor(check: MachineHealthCheck, machine: Machine): RemediationActor | undefined {
  const owner = controllerOf(machine);
  return (
    requestActor(check, machine.metadata.name) ??
    (owner && { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name })
  );
}

/** Returns the request for a Machine where the health check has a template. */
export function requestActor({ spec }: MachineHealthCheck, machine: string): RemediationActor | undefined {
  const template = spec.remediation?.templateRef;
  if (template === undefined) return undefined;
  return { apiVersion: template.apiVersion, kind: kindOfClones(template.kind), name: machine };
}

/** Returns `MachineSet s1` */
export function actorText({ kind, name }: Pick<RemediationActor, "kind" | "name">): string {
  return `${kind} ${name}`;
}
