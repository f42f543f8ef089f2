import { Secret } from "../../../shared/api/core.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { simCluster, simPool } from "../../support/manifests.ts";
import type { User } from "../play/user.ts";
import { isRunning, scale } from "./pools.ts";
import type { Workload } from "./workload.ts";

const MINUTE = 60_000;
const CLUSTERS = ["1", "2", "3"] as const;
const KUBECONFIG = "c2-kubeconfig";
/** Beside p2: more than may have a run of one function at a time (F-16). */
const NEIGHBOURS = ["n1", "n2", "n3", "n4", "n5", "n6"] as const;

export const w12: Workload = {
  number: "W-12",
  title: "three clusters, one unreachable for 20 min, kubeconfig rotated",
  async run(user) {
    await user.apply(
      CLUSTERS.flatMap((n) => [simCluster(`c${n}`), simPool(`p${n}`, `c${n}`, 3)]).join("---"),
    );
    await user.apply(NEIGHBOURS.map((name) => simPool(name, "c2", 1)).join("---"));
    await user.until(() => CLUSTERS.every((n) => isRunning(user, 3, `p${n}`)));
    await user.until(() => NEIGHBOURS.every((name) => isRunning(user, 1, name)));
    await user.until(() => ADDRESS.test(decoded(kubeconfigOf(user))));
    const [, , port = ""] = ADDRESS.exec(decoded(kubeconfigOf(user))) ?? [];
    await lead(user, NOBODY);
    for (const n of CLUSTERS) await scale(user, 5, `p${n}`);
    await user.until(() => ["p1", "p3"].every((name) => isRunning(user, 5, name)));
    await user.rest(20 * MINUTE);
    // A recreated Cluster has another server, and a Secret that is right.
    while (leadsNowhere(user) || !isRunning(user, 5, "p2")) {
      await user.until(() => leadsNowhere(user) || isRunning(user, 5, "p2"));
      if (leadsNowhere(user)) await lead(user, port);
    }
  },
};

/** Other edits of the kubeconfig stay. */
async function lead(user: User, port: string): Promise<void> {
  const text = decoded(kubeconfigOf(user)).replace(ADDRESS, `$1:${port}`);
  const value = Buffer.from(text).toString("base64");
  await user.patch(Secret as Kind, KUBECONFIG, [{ op: "add", path: "/data/value", value }]);
}

function kubeconfigOf(user: User): string {
  return user.see(Secret, KUBECONFIG)?.data?.["value"] ?? "";
}

function decoded(value: string): string {
  return Buffer.from(value, "base64").toString("utf8");
}

function leadsNowhere(user: User): boolean {
  const [, , port] = ADDRESS.exec(decoded(kubeconfigOf(user))) ?? [];
  return port === NOBODY;
}

/** The port of a server that does not run. */
const NOBODY = "1";
const ADDRESS = /(server: https:\/\/[^:\s]+):(\d+)/;
