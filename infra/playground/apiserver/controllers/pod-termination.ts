import { type KubeObject, withMetadata } from "../objects/kube-object.ts";
import type { VirtualServer } from "../request/request.ts";
import { storeOrRelease } from "../rest/commit.ts";
import { WorkQueue } from "./work-queue.ts";

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
