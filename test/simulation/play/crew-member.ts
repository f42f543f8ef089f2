import { createPlayer, type Job } from "./player.ts";
import { prepare } from "./prepared.ts";

/** A process of `crew.ts`: plays one job after the other, as they are sent. */
const play = createPlayer(await prepare());
process.on("message", async (job: Job) => process.send?.(await play(job)));
