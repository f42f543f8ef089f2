import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import type { Job, Played } from "./player.ts";

const MEMBER = new URL("crew-member.ts", import.meta.url).pathname;

/**
 * Plays jobs in as many processes as there are cores, one at a time in each, and reports each when it ends.
 * Throws when a process ends before its time, with the job that it was at.
 */
export async function playAll(jobs: readonly Job[], onPlayed: (played: Played) => void): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    const member = fork(MEMBER, { serialization: "advanced" });
    try {
      for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
        member.send(job);
        onPlayed(await playedBy(member, job));
      }
    } finally {
      next = jobs.length;
      member.kill();
    }
  };
  const size = Math.min(jobs.length, availableParallelism());
  await Promise.all(Array.from({ length: size }, work));
}

async function playedBy(member: ChildProcess, job: Job): Promise<Played> {
  const over = new AbortController();
  const { signal } = over;
  try {
    const ended = once(member, "exit", { signal }).then(([code]) => {
      throw new Error(`a process ended with ${code} at ${JSON.stringify(job)}`);
    });
    const [played] = await Promise.race([once(member, "message", { signal }), ended]);
    return played as Played;
  } finally {
    over.abort();
  }
}
