import { Connection } from "../../../shared/api/core.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Oracle } from "./oracle.ts";

/** Reports about workload clusters: F-21. */
export const connections: readonly Oracle[] = [
  {
    number: "F-21",
    title: "a Connection whose server has just failed promises no complete view of the Nodes",
    needs: { workloads: ["W-12"], why: "every workload cluster answers" },
    watch({ world, violated, evaluated }) {
      world.store.onShown(({ type, after }) => {
        if (type.kind !== Connection.kind || after === undefined) return;
        const { metadata, status } = after as KubeObject & Pick<Connection, "status">;
        if (status.failures === 0) return;
        evaluated();
        if (status.nodesComplete)
          violated(`Connection ${metadata.name}: nodesComplete after ${status.failures} failures`);
      });
    },
  },
];
