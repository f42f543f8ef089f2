import type { Scene } from "../scene.ts";
import { ME } from "./me.ts";
import { PLAYED } from "./played.ts";

/** A Cluster of the played world, and what its functions have done. */
async function clusterScene(name: string, of: string, shows: string): Promise<Scene> {
  const topic = `clusters/default/${of}`;
  const [cluster, runs] = [await PLAYED.ask(topic), await PLAYED.ask(`${topic}/runs`)];
  return { name, path: `/${topic}`, answers: { me: ME, [topic]: cluster, [`${topic}/runs`]: runs }, shows };
}

export const CLUSTER_SCENES: readonly Scene[] = [
  await clusterScene("cluster", "billing", "its budget is used up"),
  await clusterScene("cluster-going", "old-staging", "old-staging-1"),
  await clusterScene("cluster-lost", "edge", "connect ECONNREFUSED"),
  await clusterScene("cluster-paused", "frozen", "waits for Cluster.spec.paused"),
  await clusterScene("cluster-well", "payments", "3 of 3"),
  { name: "cluster-gone", path: "/clusters/default/gone", answers: { me: ME }, shows: "Not there" },
];
