import { Secret } from "../../../shared/api/core.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { simCluster, simPool } from "../../support/manifests.ts";
import type { User } from "../user.ts";
import { isRunning, scale } from "./pools.ts";
import type { Workload } from "./workload.ts";

const MINUTE = 60_000;
const CLUSTERS = ["1", "2", "3"] as const;
const KUBECONFIG = "c2-kubeconfig";

export const w12: Workload = {
  number: "W-12",
  title: "three clusters, one unreachable for 20 min, kubeconfig rotated",
  async run(user) {
    await user.apply(
      CLUSTERS.flatMap((n) => [simCluster(`c${n}`), simPool(`p${n}`, `c${n}`, 3)]).join("---"),
    );
    await user.until(() => CLUSTERS.every((n) => isRunning(user, 3, `p${n}`)));
    const value = user.see(Secret, KUBECONFIG)?.data?.["value"] ?? "";
    await replaceKubeconfig(user, toNowhere(value));
    for (const n of CLUSTERS) await scale(user, 5, `p${n}`);
    await user.until(() => ["p1", "p3"].every((name) => isRunning(user, 5, name)));
    await user.rest(20 * MINUTE);
    await replaceKubeconfig(user, value);
    await user.until(() => isRunning(user, 5, "p2"));
  },
};

async function replaceKubeconfig(user: User, value: string): Promise<void> {
  await user.patch(Secret as Kind, KUBECONFIG, [{ op: "replace", path: "/data/value", value }]);
}

/** The kubeconfig of a server that nobody runs. */
function toNowhere(value: string): string {
  const text = Buffer.from(value, "base64").toString("utf8");
  return Buffer.from(text.replace(/(server: http:\/\/[^:\s]+):\d+/, "$1:1")).toString("base64");
}
