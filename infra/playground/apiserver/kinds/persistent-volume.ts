import { objectAt } from "../objects/kube-object.ts";
import type { Strategy } from "./registry.ts";

/** No controller binds volumes here: one that nothing is written about stays Pending. */
export const persistentVolumeStrategy: Strategy = {
  defaults(next) {
    const given = objectAt(next, "spec");
    return { ...next, spec: { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem", ...given } };
  },
  prepare(next, live) {
    return live ? next : { ...next, status: { phase: "Pending" } };
  },
};
