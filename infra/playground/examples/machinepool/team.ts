import { Cluster, MachinePool, refTo } from "../../../../shared/api/entry.ts";
import {
  defineFunction,
  done,
  hasCluster,
  inCluster,
  itself,
  watch,
} from "../../../../shared/function/define-function.ts";

const LABEL = "example.com/team";
const TEAM = `metadata.labels[${LABEL}]`;

/** A function of one's own: `--functions-dir` names the folder above that of its kind. */
export const machinepoolTeam = defineFunction(
  {
    name: "machinepool-team",
    summary: "Gives a MachinePool the team of its Cluster as a label.",
    source: "own",
    reconciles: MachinePool,
    actsOn: "living",
    when: [hasCluster],
    watches: [watch(MachinePool, [TEAM], itself), watch(Cluster, [TEAM], inCluster)],
    ownsOn: [{ kind: MachinePool, fields: [TEAM] }],
  },
  async (pool, { cluster }) => {
    const team = cluster.metadata.labels?.[LABEL];
    if (team === undefined || pool.metadata.labels?.[LABEL] === team) return { result: done };
    const path = `/metadata/labels/${LABEL.replace("/", "~1")}`;
    return {
      patch: [{ target: refTo(MachinePool, pool), operations: [{ op: "add", path, value: team }] }],
      result: done,
    };
  },
);
