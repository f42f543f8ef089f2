import type { Command } from "commander";
import { print } from "../platform/terminal/print.ts";
import { composePart } from "./compose-part.ts";
import { addListenOptions, type ListenOptions } from "./listen-options.ts";
import { addServeOptions, printListeners, type ServeOptions, stopRequested } from "./options.ts";
import { addQueueOptions } from "./queue-options.ts";

export function workerCommand(command: Command): Command {
  addQueueOptions(
    addServeOptions(command),
    "shared with the relay: redis://HOST:PORT, or sqs://REGION?redis=redis://HOST:PORT",
  );
  return addListenOptions(command).action(async (options: ServeOptions & ListenOptions) => {
    await using running = await composePart("worker", options);
    print(
      `worker: serving ${running.functions.map(({ spec }) => spec.name).join(", ")}; Ctrl-C drains and stops`,
    );
    printListeners(running);
    await Promise.race([stopRequested(), running.ended]);
    const { running: runs = 0 } = running.worker?.status() ?? {};
    print(`worker: stopping; ${runs} ${runs === 1 ? "run is" : "runs are"} finishing, at most 25 s`);
  });
}
