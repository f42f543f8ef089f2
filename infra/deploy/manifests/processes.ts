import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { GROUPS, type Group, groupOf } from "../../../shared/function/groups.ts";
import { loadFunctions } from "../../worker/load.ts";

/** Where everything of a deployment is. */
export const NAMESPACE = "capstan-system";
/** Label of everything in it. */
export const PART_OF = { "app.kubernetes.io/part-of": "capstan" };

/** One Deployment: a relay, or workers of some functions, each under its own account. */
export interface ServerProcess {
  /** Name of Deployment and ServiceAccount. */
  readonly name: string;
  readonly part: "relay" | "worker";
  /** Whether it is a relay that only connects to workload clusters, and shares them with its likes. */
  readonly isOfWorkloads?: true;
  /** The group of a worker. */
  readonly group?: Group;
  /** It serves these: those of Cluster API's core, none of a simulated provider. */
  readonly functions: readonly AnyFunction[];
}

/** Returns the processes of a deployment. They follow from the declarations of the functions. */
export async function serverProcesses(): Promise<readonly [ServerProcess, ...ServerProcess[]]> {
  const functions = await coreFunctions();
  return [
    { name: "capstan-relay", part: "relay", functions },
    ...GROUPS.map((group) => ({
      name: workersOf(group),
      part: "worker" as const,
      group,
      functions: functions.filter(({ spec }) => groupOf(spec) === group),
    })),
  ];
}

/** Returns the relays that share the workload clusters, in place of the one that leads. */
export async function workloadRelay(): Promise<ServerProcess> {
  const functions = await coreFunctions();
  return { name: "capstan-relay-workloads", part: "relay", isOfWorkloads: true, functions };
}

/** Returns the name of the Deployment that serves a group, or an expression for those of all groups. */
export function workersOf(group: Group | ".*"): string {
  return `capstan-worker-${group}`;
}

/** Returns workers of one function each, in place of those of groups. Source: S-01 */
export async function functionProcesses(): Promise<readonly ServerProcess[]> {
  return (await coreFunctions()).map((each) => ({
    name: `capstan-${each.spec.name}`,
    part: "worker",
    group: groupOf(each.spec),
    functions: [each],
  }));
}

function coreFunctions(): Promise<readonly AnyFunction[]> {
  return loadFunctions(["cluster-api"]);
}
