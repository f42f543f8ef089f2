import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Clock, WatchEvent } from "../../../shared/runtime/ports.ts";
import type { Traffic } from "../../../shared/runtime/read/loop-status.ts";
import type { ManagedFieldsEntry } from "../../../shared/runtime/write/field-managers.ts";

export interface LoopMeter {
  readonly traffic: Traffic;
  received(bytes: number): void;
  listed(): void;
  handled(event: WatchEvent): void;
}

export function createLoopMeter(clock: Clock): LoopMeter {
  const eventsByType = { ADDED: 0, MODIFIED: 0, DELETED: 0, BOOKMARK: 0 };
  let lists = 0;
  let bytes = 0;
  let lastByteAt: number | undefined;
  let lastEventAt: number | undefined;
  let lastHeardAt: number | undefined;
  let lagMs: number | undefined;
  const now = () => clock.now().getTime();
  return {
    get traffic() {
      const { ADDED, MODIFIED, DELETED } = eventsByType;
      const events = ADDED + MODIFIED + DELETED;
      const types = { ...eventsByType };
      return { lists, events, eventsByType: types, bytes, lastByteAt, lastEventAt, lastHeardAt, lagMs };
    },
    received(count) {
      bytes += count;
      lastByteAt = now();
    },
    listed() {
      lists += 1;
      lastHeardAt = now();
    },
    handled({ type, object }) {
      eventsByType[type] += 1;
      lastHeardAt = now();
      if (type === "BOOKMARK") return;
      lastEventAt = lastHeardAt;
      const writtenAt = type === "DELETED" ? undefined : ownWriteAt(object);
      if (writtenAt !== undefined) lagMs = Math.max(0, lastHeardAt - writtenAt);
    },
  };
}

/**
 * Returns when the newest write of an object was done, if Capstan did it; the API server notes whole seconds.
 * Differs: a heartbeat every 60 s would measure the lag at rest, too. Every write of a function is a probe of the way
 * back, so nothing is written only to measure: at rest a cluster must see 0 writes (KR-23).
 */
function ownWriteAt({ metadata }: KubeObject): number | undefined {
  const { managedFields = [] } = metadata as { readonly managedFields?: readonly ManagedFieldsEntry[] };
  let newest: ManagedFieldsEntry | undefined;
  for (const entry of managedFields) {
    // Times are RFC 3339 in UTC, so texts compare like instants.
    if (entry.time !== undefined && entry.time >= (newest?.time ?? "")) newest = entry;
  }
  if (newest?.time === undefined || newest.manager?.startsWith("capstan-") !== true) return undefined;
  const at = Date.parse(newest.time);
  return Number.isNaN(at) ? undefined : at;
}
