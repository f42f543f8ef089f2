import { Command } from "commander";
import { compose } from "./compose.ts";
import {
  addServeOptions,
  printMetricsUrl,
  type ServeOptions,
  sharedQueue,
  stopRequested,
} from "./options.ts";
import { print } from "./terminal/print.ts";

export function workerCommand(): Command {
  const command = new Command("worker").description(
    "Run functions for the keys on the queue; start as many as you need",
  );
  return addServeOptions(command)
    .option(
      "--queue <url>",
      "shared with the relay: redis://HOST:PORT, or sqs://REGION?redis=redis://HOST:PORT",
    )
    .action(async (options: ServeOptions) => {
      await using running = await compose({
        ...options,
        roles: new Set(["worker"]),
        queue: sharedQueue(options.queue, "worker"),
        installCrds: false,
        port: 0,
        writeKubeconfig: "",
      });
      print(
        `worker: serving ${running.functions.map(({ spec }) => spec.name).join(", ")}; Ctrl-C drains and stops`,
      );
      printMetricsUrl(running);
      await stopRequested();
      const { running: runs = 0 } = running.worker?.status() ?? {};
      print(`worker: stopping; ${runs} ${runs === 1 ? "run is" : "runs are"} finishing, at most 25 s`);
    });
}
