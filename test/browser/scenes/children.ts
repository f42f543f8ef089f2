import type { Scene } from "../scene.ts";
import { ME } from "./me.ts";
import { PLAYED } from "./played.ts";

const PATH = "objects/MachineSet/default/billing-spot/children";

export const CHILDREN_SCENES: readonly Scene[] = [
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
