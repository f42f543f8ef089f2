#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { Command } from "commander";
import { packageVersion } from "../platform/package-version.ts";
import { printError } from "../platform/terminal/print.ts";

// Compiled sources are kept between starts: half the time and memory of the next one (KC-04).
enableCompileCache();

// As `head` does, the reader of a pipe may leave: 128 and the number of SIGPIPE, as for every program.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(141);
  });

const COMMANDS: { readonly [name: string]: () => Promise<Command> } = {
  up: async () => (await import("./up/up.ts")).upCommand(),
  manager: async () => (await import("./manager.ts")).managerCommand(),
  relay: async () => (await import("./relay.ts")).relayCommand(),
  worker: async () => (await import("./worker.ts")).workerCommand(),
  lambda: async () => (await import("./lambda/lambda.ts")).lambdaCommand(),
  cloud: async () => (await import("./cloud.ts")).cloudCommand(),
  console: async () => (await import("./console/console.ts")).consoleCommand(),
  explain: async () => (await import("./explain/explain.ts")).explainCommand(),
  problems: async () => (await import("./problems.ts")).problemsCommand(),
  history: async () => (await import("./history/history.ts")).historyCommand(),
  remediations: async () => (await import("./remediations/remediations.ts")).remediationsCommand(),
  trace: async () => (await import("./trace/trace.ts")).traceCommand(),
  rbac: async () => (await import("./rbac.ts")).rbacCommand(),
  functions: async () => (await import("./functions.ts")).functionsCommand(),
  fields: async () => (await import("./fields.ts")).fieldsCommand(),
  queue: async () => (await import("./queue/queue.ts")).queueCommand(),
  contract: async () => (await import("./contract/contract.ts")).contractCommand(),
  dlq: async () => (await import("./dlq/dlq.ts")).dlqCommand(),
  replay: async () => (await import("./replay/replay.ts")).replayCommand(),
  secrets: async () => (await import("./secrets.ts")).secretsCommand(),
  move: async () => (await import("./move/move.ts")).moveCommand(),
  takeover: async () => (await import("./takeover/takeover.ts")).takeoverCommand(),
  version: async () => (await import("./version.ts")).versionCommand(),
  completion: async () => (await import("./completion.ts")).completionCommand(loadAll),
};

/** For scripts; neither help nor completion shows them. */
const HIDDEN: typeof COMMANDS = {
  "complete-words": async () => (await import("./complete/complete.ts")).completeCommand(),
};

function loadAll(): Promise<readonly Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}

const program = new Command("capstan")
  .description("Cluster API's core controllers as serverless, event-driven functions on a queue")
  .version(packageVersion(), "--version")
  // Options belong to the command in front of them: a command and its subcommand may have options of one name.
  .enablePositionalOptions();

// A command loads only itself; everything else, such as --help, needs all of them.
const own = COMMANDS[process.argv[2] ?? ""] ?? HIDDEN[process.argv[2] ?? ""];
for (const command of own === undefined ? await loadAll() : [await own()]) program.addCommand(command);

hintAtHelp(program);

/** A command that is called with wrong arguments names --help. */
function hintAtHelp(command: Command, path = command.name()): void {
  command.showHelpAfterError(`See ${path} --help.`);
  command.configureOutput({ outputError: (text) => printError(text.replace(/^error: /, "")) });
  for (const each of command.commands) hintAtHelp(each, `${path} ${each.name()}`);
}

try {
  await program.parseAsync();
} catch (error) {
  // The message names the problem and the next step; the stack helps only with bugs.
  const { messageOf } = await import("../../shared/function/errors.ts");
  const message = messageOf(error);
  printError(message);
  if (error instanceof Error && message.startsWith("bug:")) printError(error.stack ?? "");
  process.exitCode = 1;
}
