import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Onlooker } from "../play/run.ts";
import { workloadServersOf } from "../play/state.ts";

/** Names for the uids and addresses of a trace. */
export interface Names {
  /** `MachinePool default/p1`; the second object of a name: `MachinePool default/p1 (2nd)`. */
  readonly uids: ReadonlyMap<string, string>;
  /** `management`, `workload c1`. */
  readonly servers: ReadonlyMap<string, string>;
}

/** Learns the names while a run is played. */
export function learnNames(): Names & { readonly onlooker: Onlooker } {
  const uids = new Map<string, string>();
  const servers = new Map<string, string>();
  const counts = new Map<string, number>();
  const note = ({ kind, metadata: { uid, namespace, name } }: KubeObject): void => {
    if (uid === undefined || uids.has(uid)) return;
    const full = `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
    const count = (counts.get(full) ?? 0) + 1;
    counts.set(full, count);
    uids.set(uid, count === 1 ? full : `${full} (${ordinal(count)})`);
  };
  return {
    uids,
    servers,
    onlooker: {
      begin({ management, network }) {
        servers.set(management.address, "management");
        management.onChange((_type, { object }) => {
          note(object as unknown as KubeObject);
          if (object.kind !== "Secret") return;
          const cluster = object.metadata.name?.replace(/-kubeconfig$/, "");
          for (const { address } of workloadServersOf([object])) servers.set(address, `workload ${cluster}`);
        });
        // Nodes are on servers of their own: the answer to a create shows its uid.
        network.witness(({ request, code, text }) => {
          if (request.method === "POST" && code === 201) note(JSON.parse(text) as KubeObject);
        });
      },
    },
  };
}

function ordinal(count: number): string {
  const endings: { readonly [count: number]: string } = { 2: "2nd", 3: "3rd" };
  return endings[count] ?? `${count}th`;
}
