import { type Kind, type KubeObject, objectKeyOf, refTo } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import type { GuardedDelete } from "../../../shared/function/define-function.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import type { Judged } from "./judge.ts";
import { ownerOfRequest } from "./request.ts";
import type { Requests } from "./request-reads.ts";

/** A request that is deleted is tried again after this time, if the server refuses. */
const AGAIN_MS = 60_000;
/** The number above which two lists are fewer requests. */
const ONE_BY_ONE = 20;

/**
 * Returns the targets whose requests have served their purpose, as snapshots show them: healthy for every health check
 * that selects them, with a request that is not being deleted yet. No target that is not healthy loses its request.
 */
export function servedTargets(judged: readonly Judged[], requests: Requests): readonly Machine[] {
  return judged
    .filter(({ machine, health }) => {
      const request = requests.get(machine.metadata.name);
      return (
        request !== undefined && health.condition?.present.status === "True" && isServed(machine, request)
      );
    })
    .map(({ machine }) => machine);
}

/**
 * Deletes the requests of these Machines, where live reads say the same of both.
 * Differs: upstream deletes none while its limit allows no remediation, and those of other owners, too.
 */
export async function deleteServed(
  { live }: Pick<Reader, "live">,
  kind: Kind,
  served: readonly Machine[],
): Promise<readonly GuardedDelete[]> {
  if (served.length === 0) return [];
  const pairs =
    served.length > ONE_BY_ONE ? await listed(live, kind, served) : await oneByOne(live, kind, served);
  return pairs.flatMap(([machine, request]): readonly GuardedDelete[] => {
    if (machine === undefined || request === undefined || !isServed(machine, request)) return [];
    return [
      {
        target: refTo(kind, request),
        ifFails: { event: "FailedDeleteRequest", againAfterMs: AGAIN_MS },
      },
    ];
  });
}

function isServed(machine: Machine, request: KubeObject): boolean {
  return (
    conditionOf(machine.status?.conditions, "HealthCheckSucceeded")?.status === "True" &&
    !isDeleting(request) &&
    ownerOfRequest(request, machine) === "ours"
  );
}

type Pair = readonly [Machine | undefined, KubeObject | undefined];

function oneByOne(live: Reader["live"], kind: Kind, served: readonly Machine[]): Promise<readonly Pair[]> {
  return Promise.all(
    served.map(
      (machine): Promise<Pair> =>
        Promise.all([live.get(Machine, objectKeyOf(machine)), live.get(kind, objectKeyOf(machine))]),
    ),
  );
}

async function listed(
  live: Reader["live"],
  kind: Kind,
  served: readonly Machine[],
): Promise<readonly Pair[]> {
  const values = served.map(({ metadata }) => metadata.name);
  const options = { namespace: served[0]?.metadata.namespace, where: { path: "metadata.name", values } };
  const [machines, requests] = await Promise.all([live.list(Machine, options), live.list(kind, options)]);
  const byName = new Map(requests.map((request) => [request.metadata.name, request]));
  return machines.map((machine) => [machine, byName.get(machine.metadata.name)]);
}
