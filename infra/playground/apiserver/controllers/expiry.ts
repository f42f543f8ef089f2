import { type KubeObject, withMetadata } from "../objects/kube-object.ts";
import type { VirtualServer } from "../request/request.ts";
import { storeOrRelease } from "../rest/commit.ts";
import { WorkQueue } from "./work-queue.ts";

const EVENTS = "/events";
const EVENT_MAX_AGE_MS = 60 * 60_000;
const EVENT_MAX_COUNT = 10_000;

/** Keeps Events for an hour and at most 10,000 of them; looks only when one is created. */
export function retainEvents(server: VirtualServer): { stop(): void } {
  const queue = new WorkQueue(server.clock, () => dropOld(server));
  server.storage.onChange((type, change) => {
    if (type === EVENTS && change.type === "ADDED") queue.add(EVENTS);
  });
  return queue;
}

function dropOld(server: VirtualServer): void {
  const events = server.storage.collection(EVENTS);
  const oldest = server.clock.now().getTime() - EVENT_MAX_AGE_MS;
  for (const event of events.values()) {
    const isOld = Date.parse(event.metadata.creationTimestamp) < oldest;
    if (!isOld && events.size <= EVENT_MAX_COUNT) return;
    server.storage.remove(EVENTS, event);
  }
}

const PODS = "/pods";

/**
 * Ends Pods as a kubelet would, once their grace period is over; finalizers may still hold them.
 * `scale` is how long a second of grace lasts here, in seconds.
 */
export function terminatePods(server: VirtualServer, scale: number): { stop(): void } {
  /** The ends by uid of a Pod that is being deleted. */
  const ends = new Map<string, { readonly graceSeconds: number; readonly cancel: () => void }>();
  const forget = (uid: string): void => {
    ends.get(uid)?.cancel();
    ends.delete(uid);
  };
  const queue = new WorkQueue(server.clock, (uid) => {
    const pod = server.storage.collection(PODS).find(server.storage.locate(uid)?.key ?? "");
    const type = server.registry.get(PODS);
    if (pod?.metadata.uid !== uid || !type) return;
    storeOrRelease(server, type, withMetadata(pod, { deletionGracePeriodSeconds: 0 }));
  });
  const observe = (isGone: boolean, { metadata }: KubeObject): void => {
    const { uid, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds = 0 } = metadata;
    const isEnding = !isGone && deletionTimestamp !== undefined && graceSeconds > 0;
    if (isEnding && ends.get(uid)?.graceSeconds === graceSeconds) return;
    forget(uid);
    if (!isEnding) return;
    const cancel = server.clock.after(graceSeconds * 1_000 * scale, () => {
      forget(uid);
      queue.add(uid);
    });
    ends.set(uid, { graceSeconds, cancel });
  };
  server.storage.onChange((type, change) => {
    if (type === PODS) observe(change.type === "DELETED", change.object);
  });
  return {
    stop: () => {
      for (const uid of [...ends.keys()]) forget(uid);
      queue.stop();
    },
  };
}
