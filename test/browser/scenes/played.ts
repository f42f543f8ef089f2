import { playSeed } from "../play-seed.ts";

export const SEED = 701;

/** The world of all scenes that a played world can show (W-701). */
export const PLAYED = await playSeed(SEED);
