#!/usr/bin/env node
import { Command } from "commander";
import { packageVersion } from "../config.ts";
import { dlqCommand } from "./dlq.ts";
import { functionsCommand } from "./functions.ts";
import { queueCommand } from "./queue.ts";
import { relayCommand } from "./relay.ts";
import { replayCommand } from "./replay.ts";
import { upCommand } from "./up.ts";
import { versionCommand } from "./version.ts";
import { workerCommand } from "./worker.ts";

const program = new Command("capstan")
  .description("Cluster API's core controllers as serverless, event-driven functions on a queue")
  .version(packageVersion(), "--version")
  .showHelpAfterError()
  .addCommand(upCommand())
  .addCommand(relayCommand())
  .addCommand(workerCommand())
  .addCommand(functionsCommand())
  .addCommand(queueCommand())
  .addCommand(dlqCommand())
  .addCommand(replayCommand())
  .addCommand(versionCommand());

try {
  await program.parseAsync();
} catch (error) {
  // A person reads this: the message names the problem and the next step; the stack helps with bugs only.
  const message = error instanceof Error ? error.message : String(error);
  console.error(`capstan: ${message}`);
  if (error instanceof Error && message.startsWith("bug:")) console.error(error.stack);
  process.exitCode = 1;
}
