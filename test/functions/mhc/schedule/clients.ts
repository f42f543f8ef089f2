import { Event } from "../../../../shared/api/core.ts";
import type { ClusterName, Kind, KubeObject, ObjectKey } from "../../../../shared/api/kinds.ts";
import { valueAt } from "../../../../shared/api/path.ts";
import type { ListOptions } from "../../../../shared/function/reads.ts";
import type { Clients, KubeClient, Sending } from "../../../../shared/runtime/ports.ts";
import type { Seeded } from "../../../simulation/kernel/seeded.ts";
import type { VirtualClock } from "../../../support/clock.ts";
import type { Defect } from "./defects.ts";
import type { Schedule } from "./schedule.ts";
import type { Server } from "./server.ts";

export interface Connected {
  readonly schedule: Schedule;
  readonly server: Server;
  readonly clock: VirtualClock;
  readonly random: Seeded;
  readonly defect: Defect | undefined;
}

const ANSWER_MS = 30;

/**
 * Clients of one run: each request stands still for a while before it leaves, is served as things are at one instant,
 * and its answer comes later. A write may be under way for long, and one that is sent twice may be served twice.
 */
export function clientsOf(to: Connected): Clients {
  return { of: (cluster, _, sending = {}) => clientOf(to, cluster, sending) };
}

function clientOf(to: Connected, cluster: ClusterName, sending: Sending): KubeClient {
  const { server, clock, random, schedule, defect } = to;
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => clock.after(1 + random.below(ms + 1), resolve));
  // Most requests are quick: a stall that always happens is a slow machine.
  const stall = () => sleep(random.below(4) === 0 ? schedule.stallMs : ANSWER_MS);
  const asked = async <T>(answer: () => T): Promise<T> => {
    await stall();
    const found = answer();
    await sleep(ANSWER_MS);
    return found;
  };
  const written = async <T>(write: () => T): Promise<T> => {
    await stall();
    sending.mayGo?.();
    await sleep(random.below(3) === 0 ? schedule.landsMs : ANSWER_MS);
    // Sent again after an answer that was lost: no later than the first one may land.
    if (random.below(10) === 0) clock.after(1 + random.below(ANSWER_MS), () => attempted(write));
    const answer = write();
    await sleep(ANSWER_MS);
    return answer;
  };
  const client: Pick<KubeClient, "get" | "list" | "create" | "jsonPatch" | "delete"> = {
    get: <T extends KubeObject>(kind: Kind<T>, { name }: ObjectKey) =>
      asked(() => server.get<T>(cluster, kind.kind, name)),
    list: <T extends KubeObject>(kind: Kind<T>, { where }: ListOptions) =>
      asked(() => {
        const served = server.list<T>(cluster, kind.kind);
        const objects = defect?.list?.({ kind: kind.kind, objects: served }) ?? served;
        const items = (objects as readonly T[]).filter(
          (object) => where?.values.includes(String(valueAt(object, where.path))) ?? true,
        );
        return { items, resourceVersion: "100" };
      }),
    create: async (kind, object) =>
      kind.kind === Event.kind ? object : written(() => server.create(cluster, object)),
    jsonPatch: (kind, { name }, operations) =>
      written(() => {
        const stored = server.get(cluster, kind.kind, name);
        return server.patch({ cluster, kind, name }, defect?.patch?.(operations, stored) ?? operations);
      }),
    delete: (kind, { name }, preconditions) =>
      written(() => server.delete({ cluster, kind, name }, preconditions)),
  };
  return client as KubeClient;
}

/** The sender no longer waits for the answer. */
function attempted(write: () => unknown): void {
  try {
    write();
  } catch {
    // A lost race, as for any other writer.
  }
}
