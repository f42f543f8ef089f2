import type { Lease } from "../../infra/relay/lease.ts";
import type { ObjectKey } from "../../shared/api/kinds.ts";
import { KubeError } from "../../shared/function/errors.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";

/** Leases in memory, with the conflicts of an API server: a call is done within one turn of the event loop. */
export interface LeaseServer {
  readonly leases: ReadonlyMap<string, Lease>;
  /** A client of one process; `isAway` is asked before each call. */
  clientFor(isAway: () => boolean): KubeClient;
  /** Writes a Lease as another client does. */
  put(name: string, spec: NonNullable<Lease["spec"]>): void;
  delete(name: string): void;
}

export function startLeaseServer(namespace: string): LeaseServer {
  const leases = new Map<string, Lease>();
  let version = 0;
  const put = (name: string, spec: NonNullable<Lease["spec"]>): Lease => {
    version += 1;
    const metadata = { namespace, name, uid: `uid-${name}`, resourceVersion: String(version) };
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
    leases.set(name, lease);
    return lease;
  };
  const clientFor = (isAway: () => boolean): KubeClient => {
    const check = () => {
      if (isAway()) throw new Error("connection refused");
    };
    const client: Pick<KubeClient, "get" | "list" | "create" | "jsonPatch"> = {
      async get<T>(_kind: unknown, { name }: ObjectKey) {
        check();
        return leases.get(name) as T | undefined;
      },
      async list<T>() {
        check();
        return { items: [...leases.values()] as unknown as readonly T[], resourceVersion: String(version) };
      },
      async create(_kind, object) {
        check();
        const { metadata, spec = {} } = object as unknown as Lease;
        if (leases.has(metadata.name)) throw refused(409, "AlreadyExists");
        return put(metadata.name, spec);
      },
      async jsonPatch(_kind, { name }, operations) {
        check();
        const [test, add] = operations as readonly { readonly value: unknown }[];
        if (leases.get(name)?.metadata.resourceVersion !== test?.value) throw refused(422, "Invalid");
        return put(name, add?.value as NonNullable<Lease["spec"]>);
      },
    };
    return client as KubeClient;
  };
  return { leases, clientFor, put, delete: (name) => void leases.delete(name) };
}

function refused(status: number, reason: string): KubeError {
  return new KubeError({ class: "Conflict", status, reason, message: reason });
}
