import type { Kind, KubeObject } from "./kinds.ts";

/** Node conditions carry heartbeats; snapshots drop them. */
export interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: string | undefined;
}

interface Taint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: string;
}

/** The ten texts that every kubelet reports. */
export interface NodeInfo {
  readonly architecture?: string | undefined;
  readonly bootID?: string | undefined;
  readonly containerRuntimeVersion?: string | undefined;
  readonly kernelVersion?: string | undefined;
  readonly kubeProxyVersion?: string | undefined;
  readonly kubeletVersion?: string | undefined;
  readonly machineID?: string | undefined;
  readonly operatingSystem?: string | undefined;
  readonly osImage?: string | undefined;
  readonly systemUUID?: string | undefined;
}

/** A Node as the read model keeps it: only the fields that rules read. */
export interface Node extends KubeObject {
  readonly spec?:
    | {
        readonly providerID?: string | undefined;
        readonly taints?: readonly Taint[] | undefined;
        readonly unschedulable?: boolean | undefined;
      }
    | undefined;
  readonly status?:
    | {
        readonly conditions?: readonly NodeCondition[] | undefined;
        readonly nodeInfo?: NodeInfo | undefined;
        /** The attached volumes, in no snapshot: they are read live. */
        readonly volumesAttached?: readonly { readonly name: string }[] | undefined;
      }
    | undefined;
}
export const Node: Kind<Node> = {
  group: "",
  version: "v1",
  kind: "Node",
  plural: "nodes",
  namespaced: false,
  indexes: [{ name: "providerID", path: "spec.providerID" }],
};

/** Its values are read live and by name only; the read model has metadata of Secrets with manifests, and no others. */
export interface Secret extends KubeObject {
  readonly type?: string | undefined;
  readonly data?: { readonly [key: string]: string } | undefined;
}
export const Secret: Kind<Secret> = {
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  namespaced: true,
};

/** Secrets whose values are manifests, as they are watched: no values, and no Secrets of other types. */
export const ResourceSecret: Kind = {
  ...(Secret as unknown as Kind),
  metadataOnly: { fieldSelector: "type=addons.cluster.x-k8s.io/resource-set" },
};

/** Its values are read live and by name only. */
export interface ConfigMap extends KubeObject {
  readonly data?: { readonly [key: string]: string } | undefined;
}
export const ConfigMap: Kind<ConfigMap> = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
  metadataOnly: {},
};

export const Namespace: Kind = {
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
};

/** core/v1 Event. */
export interface Event extends KubeObject {
  readonly involvedObject: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string | undefined;
    readonly name: string;
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
  };
  readonly related?:
    | {
        readonly apiVersion?: string | undefined;
        readonly kind?: string | undefined;
        readonly namespace?: string | undefined;
        readonly name?: string | undefined;
      }
    | undefined;
  readonly reason: string;
  readonly message: string;
  readonly type: "Normal" | "Warning";
  readonly source?: { readonly component?: string } | undefined;
  readonly reportingComponent?: string | undefined;
  readonly reportingInstance?: string | undefined;
  readonly firstTimestamp?: string | undefined;
  readonly lastTimestamp?: string | undefined;
  readonly count?: number | undefined;
}
export const Event: Kind<Event> = {
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  namespaced: true,
};

/** A CRD as the read model keeps it: names, labels and versions, no schemas. */
export interface CustomResourceDefinition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly scope?: string | undefined;
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
  readonly status?:
    | {
        /** Whether objects of this kind are watched and listed; written by the relay into the snapshot only. */
        readonly watched?: boolean | undefined;
        /** Fields of a status that functions write and this definition lacks; written by the relay, too. */
        readonly lacks?: readonly string[] | undefined;
      }
    | undefined;
}
export const CustomResourceDefinition: Kind<CustomResourceDefinition> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
  indexes: [{ name: "definedKind", path: "spec.names.kind" }],
};

/** Says whether Capstan has installed a CRD, by the label that all of its own carry: others are never replaced. */
export function isOurs({ metadata }: Pick<KubeObject, "metadata">): boolean {
  return metadata.labels?.["app.kubernetes.io/managed-by"] === "capstan";
}

/**
 * Annotation of a CRD: the version of Capstan that has brought it. The chart's CRDs have Helm's label in place of ours, and
 * this one.
 */
export const BROUGHT_BY = "capstan.dev/version";

/**
 * State of the connection to the workload cluster of a Cluster; namespace and name are the Cluster's. The
 * relay writes it to the read model only; no API server stores it.
 */
export interface Connection extends KubeObject {
  readonly status: {
    /** `unknown`: never tried or the kubeconfig Secret is gone. */
    readonly state: "connected" | "unreachable" | "unknown";
    /** Why it is not connected, or connected and `nodesComplete` false; never contains credentials. */
    readonly message?: string | undefined;
    /** The first list of Nodes is complete and the watch is alive: absence of a Node is proof. */
    readonly nodesComplete: boolean;
    readonly failingSince?: string | undefined;
    readonly lastSuccess?: string | undefined;
    /** Failed attempts since the last success, at most 5 are counted. */
    readonly failures: number;
    /** Version of the Secret whose kubeconfig is in use; a process with another one drops it (S-13). */
    readonly secretVersion?: string | undefined;
  };
}
export const Connection: Kind<Connection> = {
  group: "capstan.dev",
  version: "v1",
  kind: "Connection",
  plural: "connections",
  namespaced: true,
};
