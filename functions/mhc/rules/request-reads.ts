import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import { typesMadeBy } from "../../../shared/api/indexes.ts";
import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { definitionsOf, resolveAmong } from "../../../shared/contract/referenced.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import type { Judged } from "./judge.ts";
import type { Occupant } from "./places.ts";
import { mayBeRequest } from "./request.ts";

/** The fields of a CRD that decide how requests of its kind are read. */
export const DEFINITION_FIELDS = ["metadata.uid", "spec.versions", "status.watched"] as const;

/**
 * The kind of the requests that a health check makes. `none`: it makes none, for want of a template or of a kind that
 * ends like that of a template. `unresolved`: no CRD serves it.
 */
export type RequestKind =
  | { readonly state: "none" }
  | { readonly state: "unresolved"; readonly message: string }
  | {
      readonly state: "resolved";
      readonly kind: Kind;
      /** Snapshots of it are complete. Otherwise it may not be watched, or its watch has not begun. */
      readonly isWatched: boolean;
    };

/** Determines the kind of requests, in the version that the health check names. */
export async function readRequestKind(
  read: Pick<Reader, "list">,
  check: MachineHealthCheck,
): Promise<RequestKind> {
  const [made] = typesMadeBy(MachineHealthCheck as unknown as Kind, check);
  if (made === undefined) return { state: "none" };
  const definitions = await read.list(CustomResourceDefinition, definitionsOf(made));
  const resolved = resolveAmong(definitions, made);
  if (resolved.state === "unresolved") return { state: "unresolved", message: resolved.message };
  const definition = definitions.find(({ spec }) => spec.group === made.apiGroup);
  return {
    state: "resolved",
    kind: resolved.kind,
    isWatched: definition?.status?.watched === true,
  };
}

/** Requests by the name of their Machine. */
export type Requests = ReadonlyMap<string, KubeObject>;

/** The targets as the limit counts them, by snapshots. `undefined`: no request is known. */
export function occupantsOf(judged: readonly Judged[], requests: Requests | undefined): readonly Occupant[] {
  return judged.map(({ machine, verdict }) => {
    return { machine, verdict, hasRequest: requests?.has(machine.metadata.name) === true };
  });
}

/**
 * Reads all objects that have the kind of a health check's requests, from snapshots, or from the API server where their
 * kind is not watched. Errors of the API server are passed on then.
 */
export async function readRequests(
  read: Reader,
  { metadata }: MachineHealthCheck,
  found: RequestKind,
): Promise<Requests> {
  if (found.state !== "resolved") return new Map();
  const { namespace = "" } = metadata;
  const { kind, isWatched } = found;
  return byName(await (isWatched ? read.list(kind, { namespace }) : read.live.list(kind, { namespace })));
}

/** The same from the API server, in any case. */
export async function readRequestsLive(
  read: Pick<Reader, "live">,
  { metadata }: MachineHealthCheck,
  found: RequestKind,
): Promise<Requests> {
  if (found.state !== "resolved") return new Map();
  return byName(await read.live.list(found.kind, { namespace: metadata.namespace }));
}

function byName(requests: readonly KubeObject[]): Requests {
  return new Map(requests.filter(mayBeRequest).map((request) => [request.metadata.name, request]));
}
