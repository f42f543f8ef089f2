import type { Scene } from "../scene.ts";
import { CHILDREN_SCENES } from "./children.ts";
import { CLUSTER_SCENES } from "./cluster.ts";
import { FLEET_SCENES } from "./fleet.ts";
import { LETTER_GROUP_SCENES } from "./letter-group.ts";
import { LETTER_REFUSED_SCENES } from "./letter-refused.ts";
import { LETTER_SCENES } from "./letters.ts";
import { OBJECT_SCENES } from "./object.ts";
import { QUEUE_SCENES } from "./queue.ts";
import { RELAY_SCENES } from "./relay.ts";

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
