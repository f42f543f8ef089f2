import { createServer } from "../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../infra/platform/kube/kubeconfig.ts";
import type { SimInstance } from "../../../infra/playground/api/sim-cloud.ts";
import type { KubeObject } from "../../../infra/playground/apiserver/entry.ts";
import { nodeOf } from "../../../infra/playground/sim/node.ts";
import { Node } from "../../../shared/api/core.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";
import type { World } from "../play/world.ts";
import { somebody } from "./somebody.ts";

const MINUTE = 60_000;
const NODE = /\/api\/v1\/nodes\/([^/?]+)$/;

/**
 * A client of the workload server at an address that writes what kubelets do; undefined while no Secret leads there.
 */
export function kubeletOf(address: string, world: World): KubeClient | undefined {
  const secrets = world.management.storage.collection("/secrets").values();
  const text = [...secrets].map(kubeconfigTextOf).find((each) => each.includes(`https://${address}\n`));
  if (text === undefined) return undefined;
  const { process } = somebody(world);
  const { connect } = world.network.of(process);
  return createServer(parseKubeconfig(text), { clock: process.clock, connect }).as("sim-cloud");
}

export function kubeconfigTextOf(secret: KubeObject): string {
  const { value = "" } = (secret["data"] ?? {}) as { readonly value?: string };
  return Buffer.from(value, "base64").toString("utf8");
}

/**
 * From now on the operator of the machines restarts a kubelet whose Node was deleted although its instance runs: a
 * provider that was restored may have forgotten its instances for a moment.
 */
export function restartKubelets(world: World): void {
  const { management, network } = world;
  const { process, insist } = somebody(world);
  network.witness(({ server, request, code }) => {
    const [, name = ""] = (request.method === "DELETE" && NODE.exec(request.path)) || [];
    if (name === "" || code >= 300) return;
    process.clock.after(MINUTE, () => {
      void insist(async () => {
        const instances = management.storage.collection("cloud.sim.capstan.dev/siminstances").values();
        const instance = [...instances].find(({ metadata }) => metadata.name === name);
        if (instance === undefined || instance.metadata.deletionTimestamp !== undefined) return;
        const kubelet = kubeletOf(server, world);
        if (kubelet === undefined || (await kubelet.get(Node, { namespace: "", name })) !== undefined) return;
        await kubelet.create(Node, nodeOf(instance as unknown as SimInstance, true, process.clock.now()));
      });
    });
  });
}
