import { Node, Secret } from "../../../../shared/api/core.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import type { WorkloadNodes } from "../../../../shared/contract/rules/probe/subject.ts";
import { createServer } from "../../../platform/kube/client.ts";
import { parseKubeconfig } from "../../../platform/kube/kubeconfig.ts";
import type { Scratch } from "./scratch.ts";

const MAX_NODES = 1_000;

/** Reads the Nodes of a Cluster; undefined where its API server does not answer, or not to its kubeconfig. */
export async function workloadNodes(
  { client, namespace, clock }: Scratch,
  { metadata }: KubeObject,
): Promise<WorkloadNodes> {
  try {
    const secret = await client.get(Secret, { namespace, name: `${metadata.name}-kubeconfig` });
    const kubeconfig = Buffer.from(secret?.data?.["value"] ?? "", "base64").toString("utf8");
    using server = createServer(parseKubeconfig(kubeconfig), { clock, untrusted: true });
    const { items } = await server.as("contract-probe").list(Node, { maxItems: MAX_NODES });
    return new Map(
      items.flatMap(({ spec, metadata: { uid = "" } }) =>
        spec?.providerID === undefined ? [] : [[spec.providerID, uid] as const],
      ),
    );
  } catch {
    // Whatever is wrong with the workload cluster, its kubeconfig must not be quoted; the lists are judged without it.
    return undefined;
  }
}
