import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Oracle } from "./oracle.ts";
import { lastRead } from "./run-reads.ts";
import { onWrite } from "./sent-write.ts";

const OPT_OUTS = ["cluster.x-k8s.io/skip-remediation", "cluster.x-k8s.io/paused"];

/** Machines that are taken down because they are unhealthy: F-36. */
export const remediation: readonly Oracle[] = [
  {
    number: "F-36",
    title: "a Machine that has opted out, is paused or is going anyway is not remediated",
    watch({ world, violated, evaluated }) {
      onWrite(world, ({ verb, place, functionName, run, title }) => {
        if (verb !== "delete" || functionName !== "machinepool-remediate") return;
        const machine: KubeObject | undefined = lastRead(run?.record, "Machine", place, "live");
        evaluated();
        const { annotations, deletionTimestamp } = machine?.metadata ?? {};
        if (deletionTimestamp !== undefined || OPT_OUTS.some((name) => annotations?.[name] !== undefined))
          violated(title);
      });
    },
  },
];
