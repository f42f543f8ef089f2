import type { Scene } from "../scene.ts";
import { FLEET_SCENES } from "./fleet.ts";
import { LETTER_GROUP_SCENES } from "./letter-group.ts";
import { LETTER_REFUSED_SCENES } from "./letter-refused.ts";
import { LETTER_SCENES } from "./letters.ts";
import { ME } from "./me.ts";
import { OBJECT_SCENES } from "./object.ts";
import { PLAYED } from "./played.ts";
import { QUEUE_SCENES } from "./queue.ts";
import { RELAY_SCENES } from "./relay.ts";

const PATH = "objects/MachineSet/default/billing-spot/children";

const CHILDREN_SCENES: readonly Scene[] = [
  {
    name: "children",
    path: `/${PATH}/Machine`,
    answers: { me: ME, [PATH]: await PLAYED.ask(`${PATH}?kind=Machine`) },
    shows: "billing-spot-",
  },
  {
    name: "children-none",
    path: `/${PATH}/Machine?state=other`,
    answers: { me: ME, [PATH]: { items: [] } },
    shows: "There is none",
  },
];

/** A Cluster of the played world, and what its functions have done. */
async function clusterScene(name: string, of: string, shows: string): Promise<Scene> {
  const topic = `clusters/default/${of}`;
  const [cluster, runs] = [await PLAYED.ask(topic), await PLAYED.ask(`${topic}/runs`)];
  return { name, path: `/${topic}`, answers: { me: ME, [topic]: cluster, [`${topic}/runs`]: runs }, shows };
}

const CLUSTER_SCENES: readonly Scene[] = [
  await clusterScene("cluster", "billing", "its budget is used up"),
  await clusterScene("cluster-going", "old-staging", "old-staging-1"),
  await clusterScene("cluster-lost", "edge", "connect ECONNREFUSED"),
  await clusterScene("cluster-paused", "frozen", "waits for Cluster.spec.paused"),
  await clusterScene("cluster-well", "payments", "3 of 3"),
  { name: "cluster-gone", path: "/clusters/default/gone", answers: { me: ME }, shows: "Not there" },
];

/** Every state of every page that is looked at, compared and photographed. */
export const SCENES: readonly Scene[] = [
  ...FLEET_SCENES,
  ...CLUSTER_SCENES,
  ...CHILDREN_SCENES,
  ...OBJECT_SCENES,
  ...QUEUE_SCENES,
  ...LETTER_SCENES,
  ...LETTER_GROUP_SCENES,
  ...LETTER_REFUSED_SCENES,
  ...RELAY_SCENES,
];
