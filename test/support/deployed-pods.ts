import { expect } from "vitest";
import { NAMESPACE } from "../../infra/deploy/manifests/deployments.ts";
import { eventually } from "./eventually.ts";
import { patchStatus } from "./foo-workload.ts";
import type { Process } from "./image-layout.ts";
import { apiServerOf, type Deployment, type Pod, secretFiles, startPod } from "./pods.ts";
import { type DeployedRedis, startDeployedRedis } from "./processes/deployed-redis.ts";
import { kubectlFor } from "./processes/kubectl.ts";

interface DeployedPods {
  readonly deployments: readonly Deployment[];
  readonly pods: readonly Pod[];
  readonly redis: DeployedRedis;
}

/**
 * Runs Redis and every Pod of what is deployed, from the files of an image. Resolves once all are ready and the server
 * knows it.
 */
export async function runDeployedPods(
  kubeconfigFile: string,
  image: { readonly root: string; readonly image: Process },
  stack: AsyncDisposableStack,
): Promise<DeployedPods> {
  const kubectl = kubectlFor(kubeconfigFile, NAMESPACE);
  const { data } = JSON.parse(await kubectl("get configmap/capstan-redis -o json"));
  const redis = stack.use(
    await startDeployedRedis(data["redis.conf"], await secretFiles(kubectl, "capstan-redis")),
  );
  const services = new Map([[`capstan-redis.${NAMESPACE}.svc:6379`, redis.port]]);
  const cluster = { ...(await apiServerOf(kubeconfigFile)), services, ...image };
  const { items }: { items: readonly Deployment[] } = JSON.parse(await kubectl("get deployments -o json"));
  const wanted = items.flatMap((each) => Array.from({ length: each.spec.replicas }, () => each));
  const pods = await Promise.all(
    wanted.map(async (each) => {
      // It serves the workload clusters, at ports of its Pod.
      const hostNetwork = each.metadata.name.endsWith("-cloud");
      return stack.use(await startPod(each, cluster, { hostNetwork }));
    }),
  );
  await areReady(pods);
  // As their controller says of Deployments whose Pods are ready.
  const conditions = [{ type: "Available", status: "True" }];
  for (const { metadata } of items) await patchStatus(kubectl, `deployment/${metadata.name}`, { conditions });
  return { deployments: items, pods, redis };
}

export async function areReady(pods: readonly Pod[]): Promise<void> {
  await eventually(
    async () => {
      for (const pod of pods) expect(await pod.isReady(), pod.container.output()).toBe(true);
    },
    { withinMs: 90_000, stepMs: 200 },
  );
}
