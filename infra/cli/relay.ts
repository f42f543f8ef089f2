import { Command } from "commander";
import { compose } from "./compose.ts";
import {
  addServeOptions,
  printMetricsUrl,
  type ServeOptions,
  sharedQueue,
  stopRequested,
} from "./options.ts";

export function relayCommand(): Command {
  const command = new Command("relay").description(
    "Watch the management cluster and its workload clusters and enqueue reconcile keys",
  );
  return addServeOptions(command)
    .option(
      "--queue <url>",
      "shared with the workers: redis://HOST:PORT, or sqs://REGION?redis=redis://HOST:PORT",
    )
    .option("--install-crds", "install Capstan's CustomResourceDefinitions first", false)
    .action(async (options: ServeOptions & { installCrds: boolean }) => {
      await using running = await compose({
        ...options,
        roles: new Set(["relay"]),
        queue: sharedQueue(options.queue, "relay"),
        port: 0,
        writeKubeconfig: "",
      });
      console.log(
        `relay: ${running.functions.length} functions, every watch has its first list; Ctrl-C stops`,
      );
      printMetricsUrl(running);
      await stopRequested();
    });
}
