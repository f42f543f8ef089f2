import type { Machine } from "../../../shared/api/machine/machine.ts";
import { addressesSchema, type MachineAddress } from "../../../shared/api/machine/machine-status.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { type Field, readBoolean, readString } from "../../../shared/contract/fields.ts";
import {
  type InfraMachineField,
  infraMachinePath,
  infraMachinePaths,
} from "../../../shared/contract/infra-machine.ts";
import type { Found, Referenced } from "../../../shared/contract/referenced.ts";
import { managersOf } from "../../../shared/function/define-function.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { ownObject } from "./adoption.ts";

/** The fields of an infrastructure machine that `infrastructureReport` reads. */
export const INFRASTRUCTURE_FIELDS = infraMachinePaths(
  "provisioned",
  "providerID",
  "wantedFailureDomain",
  "failureDomain",
  "addresses",
);

/** Values for a Machine from its infrastructure machine. A member that is absent keeps its present value. */
export interface InfrastructureReport {
  /** The value for `spec.providerID`, present once the object is provisioned and has an ID. */
  readonly providerID?: string | undefined;
  /** The value for `spec.failureDomain`. */
  readonly wantedFailureDomain?: string | undefined;
  /** The value for `status.failureDomain`. */
  readonly failureDomain?: string | undefined;
  readonly addresses?: readonly MachineAddress[] | undefined;
  /** The message of the condition: fields that cannot be used. */
  readonly message?: string | undefined;
}

export const PROVIDER_ID = "spec.providerID";
/** Manager of the fields that are copied into the spec. */
const COPIER = "capstan-machine-sync";

const ADDRESSES = addressesSchema();
const MAX_PROVIDER_ID = 512;
const MAX_FAILURE_DOMAIN = 256;

/**
 * Nothing is taken from an object that is not the Machine's, that goes away, or that has no provider ID; then all values,
 * on every run, for they may change. A bad one stops none of the others.
 */
export function infrastructureReport(machine: Machine, found: Referenced): InfrastructureReport {
  const own = ownObject(machine, found);
  if (own === undefined || isDeleting(own.object)) return {};
  const provisioned = readBoolean(own.object, infraMachinePath(own.contract, "provisioned"));
  const latched = machine.status?.initialization?.infrastructureProvisioned === true;
  const providerID = readText(own, "providerID", MAX_PROVIDER_ID);
  if ((provisioned.value !== true && !latched) || providerID.value === undefined) {
    const waits = provisioned.value === true && providerID.problem === undefined;
    const missing = { problem: waits ? "waiting for spec.providerID" : undefined };
    return { message: together([provisioned, providerID, missing]) };
  }
  const wanted = readText(own, "wantedFailureDomain", MAX_FAILURE_DOMAIN);
  const reported = readText(own, "failureDomain", MAX_FAILURE_DOMAIN);
  const addresses = readAddresses(own);
  return {
    providerID: providerID.value,
    wantedFailureDomain: wanted.value,
    failureDomain: reported.value,
    addresses: addresses.value,
    message: together([provisioned, wanted, reported, addresses]),
  };
}

/**
 * Returns the provider ID by which the Node of a Machine is found. One that is deleted before it has copied its ID is
 * looked for by that of its infrastructure machine, provisioned or not.
 */
export function knownProviderID(machine: Machine, found: Referenced): string | undefined {
  if (machine.spec.providerID !== undefined || !isDeleting(machine)) return machine.spec.providerID;
  const own = ownObject(machine, found);
  return own === undefined ? undefined : readText(own, "providerID", MAX_PROVIDER_ID).value;
}

/** An empty text is as good as none. */
function readText({ object, contract }: Found, field: InfraMachineField, maxLength: number): Field<string> {
  const path = infraMachinePath(contract, field);
  const { value, problem } = readString(object, path);
  if (value === undefined || value === "") return { problem };
  return [...value.slice(0, 2 * maxLength + 1)].length > maxLength
    ? { problem: `${path} has more than ${maxLength} characters` }
    : { value };
}

function readAddresses({ object, contract }: Found): Field<readonly MachineAddress[]> {
  const path = infraMachinePath(contract, "addresses");
  const value = valueAt(object, path);
  if (value === undefined || value === null) return {};
  const read = ADDRESSES.safeParse(value);
  return read.success
    ? { value: read.data }
    : { problem: `${path} is not a list of at most 256 addresses with type and address` };
}

function together(fields: readonly Field<unknown>[]): string | undefined {
  const problems = fields.flatMap(({ problem }) => problem ?? []);
  return problems.length === 0 ? undefined : problems.join("; ");
}

/**
 * The latch `infrastructureProvisioned` as it is from now on: once true it stays. It appears with the provider ID in the
 * spec: the infrastructure was provisioned when the ID was copied, whatever it says by now. An ID that a user wrote says
 * nothing of it.
 */
export function isProvisioned(machine: Machine, { providerID }: InfrastructureReport): boolean {
  if (machine.status?.initialization?.infrastructureProvisioned === true) return true;
  if (machine.spec.providerID === undefined) return false;
  return providerID !== undefined || managersOf(machine, PROVIDER_ID).includes(COPIER);
}
