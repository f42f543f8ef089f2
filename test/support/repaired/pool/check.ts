import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { Secret } from "../../../../shared/api/core.ts";
import { refTo } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { valueAt } from "../../../../shared/api/path.ts";
import { defineFunction, watch } from "../../../../shared/function/define-function.ts";
import { TerminalError } from "../../../../shared/function/errors.ts";
import { itself } from "../../../../shared/function/mappings.ts";
import { done } from "../../../../shared/function/result.ts";

const POISON = "metadata.annotations[test.capstan.dev/poison]";
const CHECKED = "metadata.annotations[test.capstan.dev/checked]";

/** The function of ../../poisoned with its bug repaired. */
export const poolCheck = defineFunction(
  {
    name: "pool-check",
    summary: "Marks a MachinePool whose Secret is there as checked.",
    source: "own",
    reconciles: MachinePool,
    watches: [watch(MachinePool, ["metadata.uid", POISON], itself)],
    owns: [],
    ownsOn: [{ kind: MachinePool, fields: [CHECKED] }],
    readsLive: [Secret, Cluster],
    queue: { attempts: 3 },
  },
  async (pool, { read, now }) => {
    const { namespace = "", annotations = {}, name } = pool.metadata;
    const cluster = await read.live.get(Cluster, { namespace, name: pool.spec.clusterName });
    const secret = await read.live.secret({ namespace, name: `${name}-secret` });
    const poison = String(valueAt(pool, POISON) ?? "none");
    if (poison.length > 100) throw new TerminalError("PoisonTooLong", "shorten the annotation");
    if (valueAt(pool, CHECKED) !== undefined) return { result: done };
    const path =
      pool.metadata.annotations === undefined
        ? "/metadata/annotations"
        : "/metadata/annotations/test.capstan.dev~1checked";
    const checked = `${poison} ${cluster?.metadata.name} ${secret === undefined ? "no" : "a"} secret ${now.getFullYear()}`;
    const value = path.endsWith("checked")
      ? checked
      : { ...annotations, "test.capstan.dev/checked": checked };
    return {
      patch: [{ target: refTo(MachinePool, pool), operations: [{ op: "add", path, value }] }],
      result: done,
    };
  },
);
