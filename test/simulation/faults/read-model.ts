import { type Fault, isFunctionWrite } from "./fault.ts";

/** the read model forgets everything, or everything of one kind. */
export const readModel: readonly Fault[] = [
  {
    number: "X-36",
    title: "the read model is wiped, wholly or partly",
    rate: 1 / 2_000,
    isSite: isFunctionWrite,
    strike(operation, world, chance) {
      operation.run();
      if (chance.below(2) === 0) world.store.wipe();
      else void world.store.wipeType(chance.pick(world.store.types));
    },
  },
];
