import { playSeed } from "../play-seed.ts";

export const SEED = 701;

/** The world of all scenes that a played world can show. */
export const PLAYED = await playSeed(SEED);
