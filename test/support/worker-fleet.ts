import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Group } from "../../shared/function/groups.ts";
import { spawnChild } from "./processes/spawn-child.ts";

const WORKER = new URL("processes/load-worker.ts", import.meta.url).pathname;

/** Worker processes of one group of LOADS, as many as a Deployment would run. */
export class WorkerFleet implements AsyncDisposable {
  /** How often each key was started, and ended. */
  readonly started: Map<string, number> = new Map();
  readonly ended: Map<string, number> = new Map();
  /** Of the workers that were asked to stop. */
  readonly exitCodes: (number | null)[] = [];
  readonly #redisUrl: string;
  readonly #group: Group;
  readonly #workers: ChildProcess[] = [];
  readonly #stopping = new Set<Promise<void>>();

  constructor(redisUrl: string, group: Group) {
    this.#redisUrl = redisUrl;
    this.#group = group;
  }

  get replicas(): number {
    return this.#workers.length;
  }

  /** Starts workers, or asks the newest ones to stop. */
  scale(replicas: number): void {
    while (this.#workers.length < replicas) this.#workers.push(this.#start());
    for (const worker of this.#workers.splice(replicas)) this.#stop(worker);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.scale(0);
    await Promise.all(this.#stopping);
  }

  #start(): ChildProcess {
    const worker = spawnChild(process.execPath, [WORKER, this.#redisUrl, this.#group], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    createInterface(worker.stdout).on("line", (line) => {
      const [what, key = ""] = line.split(" ");
      const counts = what === "start" ? this.started : this.ended;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    });
    // As a kubelet does: one that starts while Redis is away ends.
    worker.once("close", () => {
      const at = this.#workers.indexOf(worker);
      if (at >= 0) this.#workers[at] = this.#start();
    });
    return worker;
  }

  #stop(worker: ChildProcess): void {
    const exited = once(worker, "close").then(([code]) => {
      this.exitCodes.push(code);
      this.#stopping.delete(exited);
    });
    this.#stopping.add(exited);
    worker.kill("SIGTERM");
  }
}
