import { objectAt, textAt } from "../objects/kube-object.ts";
import type { Strategy } from "./registry.ts";

const DEFAULT_GRACE_SECONDS = 30;

/** This server does not run Pods; a new one waits. Their specs are taken as they are, without defaults. */
export const podStrategy: Strategy = {
  prepare: (next, live) => (live ? next : { ...next, status: { phase: "Pending" } }),
  gracePeriodSeconds(live, asked) {
    const spec = objectAt(live, "spec");
    const phase = textAt(objectAt(live, "status"), "phase");
    if (textAt(spec, "nodeName") === "" || phase === "Succeeded" || phase === "Failed") return 0;
    const seconds = asked ?? Number(spec["terminationGracePeriodSeconds"] ?? DEFAULT_GRACE_SECONDS);
    return seconds < 0 ? 1 : seconds;
  },
};
