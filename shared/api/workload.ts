import type { Kind, KubeObject } from "./kinds.ts";

/** Kinds of workload clusters that are read live, never watched: only the fields that rules read. */

export interface Pod extends KubeObject {
  readonly spec?:
    | {
        readonly nodeName?: string | undefined;
        readonly volumes?:
          | readonly {
              readonly persistentVolumeClaim?: { readonly claimName?: string | undefined } | undefined;
              /** The template of a claim that lives as long as the Pod: its name is `<pod>-<volume>`. */
              readonly ephemeral?: object | undefined;
              readonly name?: string | undefined;
            }[]
          | undefined;
      }
    | undefined;
  readonly status?: { readonly phase?: string | undefined } | undefined;
}
export const Pod: Kind<Pod> = {
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  namespaced: true,
};

/** Only its existence counts. */
export const DaemonSet: Kind = {
  group: "apps",
  version: "v1",
  kind: "DaemonSet",
  plural: "daemonsets",
  namespaced: true,
};

export interface VolumeAttachment extends KubeObject {
  readonly spec?:
    | {
        readonly nodeName?: string | undefined;
        readonly source?: { readonly persistentVolumeName?: string | undefined } | undefined;
      }
    | undefined;
  readonly status?: { readonly attached?: boolean | undefined } | undefined;
}
export const VolumeAttachment: Kind<VolumeAttachment> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttachment",
  plural: "volumeattachments",
  namespaced: false,
};

export interface PersistentVolume extends KubeObject {
  readonly spec?:
    | {
        readonly csi?:
          | { readonly driver?: string | undefined; readonly volumeHandle?: string | undefined }
          | undefined;
        readonly claimRef?:
          | { readonly namespace?: string | undefined; readonly name?: string | undefined }
          | undefined;
      }
    | undefined;
}
export const PersistentVolume: Kind<PersistentVolume> = {
  group: "",
  version: "v1",
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  namespaced: false,
};
