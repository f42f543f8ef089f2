import type { Kind, KubeObject, ObjectKey } from "../../../shared/api/kinds.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";
import { Lease } from "../../relay/lease.ts";

/** apps/v1, the parts that are read. */
interface Deployment extends KubeObject {
  readonly spec: {
    readonly replicas?: number | undefined;
    readonly template: {
      readonly spec: {
        readonly serviceAccountName?: string | undefined;
        readonly containers: readonly {
          readonly name: string;
          readonly command?: readonly string[] | undefined;
          readonly args?: readonly string[] | undefined;
        }[];
      };
    };
  };
}
export const Deployment: Kind<Deployment> = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
};

/** Name of the Lease of Cluster API's manager. Source: Cluster API v1.14.0, core/main.go */
const CORE_LEASE = "controller-leader-election-capi";
/** Holder of that Lease while a take-over keeps every manager from leading. */
export const PARKED_BY = "capstan-takeover";

/** How Cluster API's manager is set up, and who leads. */
export interface Core {
  readonly deployment: ObjectKey;
  readonly replicas: number;
  /** Value of `--watch-filter`; absent: it works on all objects. */
  readonly filter: string | undefined;
  /** Its user. */
  readonly user: string;
  /** Names under which it writes fields. */
  readonly managers: ReadonlySet<string>;
  readonly leaseKey: ObjectKey;
  /** The lease; absent where no manager has ever led. */
  readonly lease: LeaseState | undefined;
}

interface LeaseState {
  readonly resourceVersion: string;
  /** The holder; empty: released, the next candidate takes it. */
  readonly holder: string;
  readonly parked: boolean;
  readonly durationSeconds: number;
  /** RFC 3339; absent where it was never renewed. */
  readonly renewed: string | undefined;
}

/** Reads Deployment and Lease. Undefined: the Deployment does not exist. */
export async function readCore(client: KubeClient, deployment: ObjectKey): Promise<Core | undefined> {
  const leaseKey = { namespace: deployment.namespace, name: CORE_LEASE };
  const [found, lease] = await Promise.all([client.get(Deployment, deployment), readLease(client, leaseKey)]);
  if (found === undefined) return undefined;
  const { containers, serviceAccountName = "default" } = found.spec.template.spec;
  const manager = containers.find(({ name }) => name === "manager") ?? containers[0];
  return {
    deployment,
    replicas: found.spec.replicas ?? 1,
    filter: flagOf([...(manager?.command ?? []), ...(manager?.args ?? [])], "watch-filter"),
    user: `system:serviceaccount:${deployment.namespace}:${serviceAccountName}`,
    managers: new Set([...MANAGERS, ...programOf(manager?.command)]),
    leaseKey,
    lease,
  };
}

/** It writes under the name of its program, and applies under the others. Source: core/reconcilers/{machinedeployment,machineset} */
const MANAGERS = ["manager", "capi-machinedeployment", "capi-machineset", "capi-machineset-metadata"];

function programOf(command: readonly string[] | undefined): readonly string[] {
  const program = command?.[0]?.split("/").at(-1);
  return program === undefined || program === "" ? [] : [program];
}

/** The last value counts, as for Go's flags: `--name=value` or `--name value`. An empty one counts as absent. */
function flagOf(args: readonly string[], name: string): string | undefined {
  let value: string | undefined;
  for (const [at, arg] of args.entries()) {
    const plain = arg.replace(/^--?/, "");
    if (plain === name) value = args[at + 1];
    else if (plain.startsWith(`${name}=`)) value = plain.slice(name.length + 1);
  }
  return value === "" ? undefined : value;
}

export async function readLease(client: KubeClient, key: ObjectKey): Promise<LeaseState | undefined> {
  const lease = await client.get(Lease, key);
  if (lease === undefined) return undefined;
  const { holderIdentity = "", leaseDurationSeconds = 0, renewTime } = lease.spec ?? {};
  return {
    resourceVersion: lease.metadata.resourceVersion ?? "",
    holder: holderIdentity,
    parked: holderIdentity === PARKED_BY,
    durationSeconds: leaseDurationSeconds,
    renewed: renewTime,
  };
}
