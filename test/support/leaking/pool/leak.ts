import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import type { Kind, KubeObject } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { defineFunction, watch } from "../../../../shared/function/define-function.ts";
import { TerminalError } from "../../../../shared/function/errors.ts";
import { inCluster, itself } from "../../../../shared/function/mappings.ts";
import { done, waitFor } from "../../../../shared/function/result.ts";

/** Shows up wherever the text of an error gets to. */
const MARKER = "m4rk3r";

interface ConfigMap extends KubeObject {
  readonly data?: { readonly [key: string]: string };
}
/** A step sees no Secret; users keep secrets in other objects, too. */
const ConfigMap: Kind<ConfigMap> = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};

/** A function that quotes the ConfigMap of its pool in its errors, in a way that depends on the pool's name. */
export const poolLeak = defineFunction(
  {
    name: "pool-leak",
    summary: "Quotes secrets.",
    source: "own",
    reconciles: MachinePool,
    // The console shows persons the namespaces of Clusters.
    watches: [watch(MachinePool, ["metadata.uid"], itself), watch(Cluster, ["spec.paused"], inCluster)],
    owns: [],
    reads: [{ on: ConfigMap, fields: ["data"] }],
    readsLive: [ConfigMap],
    queue: { attempts: 2 },
  },
  async (pool, { read }) => {
    const { namespace = "", name } = pool.metadata;
    const secret = await read.live.get(ConfigMap, { namespace, name: `${name}-secret` });
    const value = (key: string): string => secret?.data?.[key] ?? "";
    switch (name) {
      case "header":
        throw new Error(`${MARKER} 401 for Authorization: Bearer ${value("token")}`);
      case "url":
        throw new Error(`${MARKER} cannot GET https://admin:${value("token")}@a.dev/`);
      case "kubeconfig":
        throw new Error(`${MARKER} cannot use ${value("kubeconfig")}`);
      case "encoded":
        throw new Error(`${MARKER} cannot use ${btoa(value("kubeconfig"))}`);
      case "pem":
        throw new Error(`${MARKER} bad key ${value("private-key")}`);
      case "bootstrap":
        throw new Error(`${MARKER} bad data ${value("bootstrap-data")}`);
      case "terminal":
        throw new TerminalError("Odd", `${MARKER} password: ${value("token")}`);
      case "waits":
        return {
          events: [{ type: "Normal", reason: "Odd", message: `${MARKER} token=${value("token")}` }],
          result: waitFor(`${MARKER} https://hooks.dev/?token=${value("token")}`),
        };
      default:
        return { result: done };
    }
  },
);
