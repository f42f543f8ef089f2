import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { parseKey } from "../../../shared/runtime/queue/key.ts";
import type { World } from "../play/world.ts";
import type { ObservedRun } from "../ports/observed-runs.ts";
import { objectsRead } from "./run-reads.ts";
import { onWrite, type SentWrite } from "./sent-write.ts";
import { serverHistoryOf } from "./server-history.ts";

export const MACHINES = "cluster.x-k8s.io/machines";
export const CHECKS = "cluster.x-k8s.io/machinehealthchecks";
export const REQUESTS = "infrastructure.sim.capstan.dev/simremediations";
export const POLICIES = "capstan.dev/remediationpolicies";

/** A Machine that a health check has sent to its owner, or to an external controller by a request. */
export interface HandOverWrite {
  readonly to: "owner" | "controller";
  /** The health check as its run has seen it. */
  readonly check: MachineHealthCheck;
  readonly run: ObservedRun;
  readonly write: SentWrite;
  /** Versions of the Machine since the run has begun; for an owner only the one that the patch has met. */
  readonly machines: readonly (Machine | undefined)[];
}

/** Calls back for every hand-over that the management server has accepted. */
export function onHandOver(world: World, observer: (handOver: HandOverWrite) => void): void {
  const history = serverHistoryOf(world);
  onWrite(world, (write) => {
    const { run, place, answer } = write;
    const isOwners = isToOwner(write);
    if (run === undefined || !(isOwners || isToController(write))) return;
    const check = checkOf(run);
    if (check === undefined || history.isLostSince(run.startedInStep)) return;
    const name = isOwners ? place.name : answer?.metadata.name;
    const versions = history.since(MACHINES, `${place.namespace}/${name}`, isOwners ? 0 : run.startedInStep);
    const machines = (isOwners ? versions.slice(-2, -1) : versions) as readonly (Machine | undefined)[];
    observer({ to: isOwners ? "owner" : "controller", check, run, write, machines });
  });
}

/** The health check of a run as it has read it first. */
export function checkOf({ key, record }: ObservedRun): MachineHealthCheck | undefined {
  const name = parseKey(key)?.name;
  const found = objectsRead(record).find(
    ({ object }) => object.kind === "MachineHealthCheck" && object.metadata.name === name,
  );
  return found?.object as MachineHealthCheck | undefined;
}

type Sent = Pick<SentWrite, "functionName" | "verb" | "body"> & {
  readonly place: Pick<SentWrite["place"], "type" | "subresource">;
};

export function isToOwner({ functionName, verb, place, body }: Sent): boolean {
  return (
    functionName === "mhc-machines" &&
    verb === "patch" &&
    place.type === MACHINES &&
    operationsIn(body).some((operation) => setsOwner(operation))
  );
}

export function isToController({ functionName, verb, place }: Sent): boolean {
  return functionName === "mhc-requests" && verb === "create" && place.type === REQUESTS;
}

export function operationsIn(body: unknown): readonly PatchOperation[] {
  return Array.isArray(body) ? (body as readonly PatchOperation[]) : [];
}

/** In the present family of conditions, where owners look. */
function setsOwner(operation: PatchOperation): boolean {
  if (operation.op === "test" || operation.op === "remove") return false;
  const { type, status } = Object(operation.value) as { readonly type?: string; readonly status?: string };
  return operation.path.startsWith("/status/conditions/") && type === "OwnerRemediated" && status === "False";
}

export function requestOf(world: World, { metadata }: KubeObject): KubeObject | undefined {
  const requests = world.management.storage.collection(REQUESTS);
  return requests.find(`${metadata.namespace}/${metadata.name}`) as KubeObject | undefined;
}
