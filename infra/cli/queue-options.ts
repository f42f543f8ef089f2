import type { Command } from "commander";
import type { Log } from "../../shared/runtime/ports.ts";
import { readEnvironment } from "../platform/config.ts";
import type { QueueSource } from "../queue/backends/open.ts";
import { capabilitiesOf } from "../queue/backends/open.ts";
import { openQueueSource, type QueueFlags } from "../queue/backends/queue-source.ts";

/** `about` says which queue `--queue` names, and its default. */
export function addQueueOptions(command: Command, about: string): Command {
  return command
    .option("--queue <url>", about)
    .option(
      "--queue-file <file>",
      "file with that URL instead, read again for each new connection (default: CAPSTAN_QUEUE_FILE)",
    )
    .option(
      "--redis-ca <file>",
      "authorities in PEM of a Redis with TLS, rediss://HOST:PORT (default: CAPSTAN_REDIS_CA, else those of Node.js)",
    )
    .option(
      "--redis-may-lose-data",
      "use a Redis beyond loopback also where it keeps nothing on disk, or hides it as rented ones do: queue, dead letters and read model may then be lost, and a resync rebuilds queue and read model (default: CAPSTAN_REDIS_MAY_LOSE_DATA, else refused)",
    );
}

/** The queue of a command: by its options, else by the environment, else in memory. */
export function queueOf(flags: QueueFlags, log: Log): QueueSource {
  const environment = readEnvironment();
  const isNamed = flags.queue !== undefined || flags.queueFile !== undefined;
  const { queue, queueFile } = isNamed
    ? flags
    : { queue: environment.CAPSTAN_QUEUE, queueFile: environment.CAPSTAN_QUEUE_FILE };
  if (queue !== undefined && queueFile !== undefined) {
    const names = isNamed ? "--queue and --queue-file" : "CAPSTAN_QUEUE and CAPSTAN_QUEUE_FILE";
    throw new Error(`${names} both name a queue; give one of them`);
  }
  const redisCa = flags.redisCa ?? environment.CAPSTAN_REDIS_CA;
  const redisMayLoseData = flags.redisMayLoseData ?? environment.CAPSTAN_REDIS_MAY_LOSE_DATA === "true";
  return openQueueSource({ queue, queueFile, redisCa, redisMayLoseData }, log);
}

/** The same; a process of its own cannot share a queue in memory. */
export function sharedQueue(flags: QueueFlags, command: string, log: Log): QueueSource {
  const source = queueOf(flags, log);
  if (capabilitiesOf(source).isShared) return source;
  throw new Error(
    `the queue of capstan ${command} must be one that other processes reach: add --queue redis://HOST:PORT or sqs://REGION?redis=redis://HOST:PORT, or --queue-file FILE (or use capstan up, which is all in one)`,
  );
}
