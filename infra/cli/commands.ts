import { Command } from "commander";

/** Adds options, arguments and the action of a command. */
type Declare = (command: Command) => unknown;

/** A command, as help shows it before its file is loaded. */
interface CommandRow {
  readonly about: string;
  /** Loads the command; absent where its subcommands are all that it has. */
  readonly load?: () => Promise<Declare>;
  readonly commands?: CommandTable;
  /** Whether it is for scripts: neither help nor completion shows it. */
  readonly hidden?: true;
}

interface CommandTable {
  readonly [name: string]: CommandRow;
}

/** Adds all commands by name and description; the file of a command is loaded when it is called, also for its help. */
export function addCommands(program: Command): Command {
  return addRows(program, COMMANDS);
}

function addRows(parent: Command, rows: CommandTable): Command {
  for (const [name, { about, commands = {}, hidden = false }] of Object.entries(rows)) {
    parent.addCommand(addRows(new Command(name).description(about), commands), { hidden });
  }
  return parent
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .hook("preSubcommand", async (_, called) => {
      const declare = await rows[called.name()]?.load?.();
      declare?.(called);
      defaultNegated(called);
    });
}

/** Sets `--no-x` without `--x` to true by default, as commander does for the options that it knows before the hook. */
function defaultNegated(command: Command): void {
  const positive = new Set(command.options.flatMap((each) => (each.negate ? [] : [each.attributeName()])));
  const lone = command.options.filter((each) => each.negate && !positive.has(each.attributeName()));
  for (const option of lone) command.setOptionValueWithSource(option.attributeName(), true, "default");
}

/** Writes `help dlq list` and `dlq help list` as `dlq list --help`: help itself calls no command, so it loads none. */
export function withHelpLast(
  words: readonly string[],
  rows: CommandTable | undefined = COMMANDS,
): readonly string[] {
  const [first, ...rest] = words;
  if (first === undefined || rows === undefined) return words;
  return first === "help" ? [...rest, "--help"] : [first, ...withHelpLast(rest, rows[first]?.commands)];
}

/** Returns every command that is not hidden, with its options. */
function declareAll(rows: CommandTable): Promise<readonly Command[]> {
  const shown = Object.entries(rows).filter(([, { hidden }]) => hidden !== true);
  return Promise.all(
    shown.map(async ([name, { about, load, commands = {} }]) => {
      const command = new Command(name).description(about);
      (await load?.())?.(command);
      for (const below of await declareAll(commands)) command.addCommand(below);
      return command;
    }),
  );
}

const QUEUE: CommandTable = {
  pause: {
    about: "Stop the claims of functions in all workers: running keys end, events wait and are not lost",
    load: async () => (await import("./queue/queue.ts")).pauseCommand,
  },
  resume: {
    about: "Let paused functions claim keys again",
    load: async () => (await import("./queue/queue.ts")).resumeCommand,
  },
};

const CONTRACT: CommandTable = {
  check: {
    about: "Judge CRDs, releases and objects of a provider by the contracts with Cluster API",
    load: async () => (await import("./contract/check.ts")).checkCommand,
  },
  explain: {
    about: "Say what a rule asks for, what follows where it is broken, and where it comes from",
    load: async () => (await import("./contract/list.ts")).explainCommand,
  },
  list: {
    about: "Print every rule: id, level, the artefact that decides it, and the requirement",
    load: async () => (await import("./contract/list.ts")).listCommand,
  },
  probe: {
    about: "Judge running providers by the life of a Cluster in a namespace of its own",
    load: async () => (await import("./contract/probe.ts")).probeCommand,
  },
  render: {
    about:
      "Print the objects that clusterctl applies for a components file, with variables, namespace and labels",
    load: async () => (await import("./contract/render.ts")).renderCommand,
  },
};

const DLQ: CommandTable = {
  list: {
    about: "List dead letters, the longest dead first",
    load: async () => (await import("./dlq/dlq-list.ts")).dlqListCommand,
  },
  groups: {
    about: "List dead letters by function and error, those with the most dead keys first",
    load: async () => (await import("./dlq/dlq-list.ts")).dlqGroupsCommand,
  },
  show: {
    about: "Show one dead letter: the failure, the objects read, the requests sent",
    load: async () => (await import("./dlq/dlq-show.ts")).dlqShowCommand,
  },
  replay: {
    about: "Rerun a failed step offline, or with --requeue put its key back on the queue",
    load: async () => (await import("./dlq/dlq-replay.ts")).dlqReplayCommand,
  },
  try: {
    about: "Rerun every failed step offline and count how many would succeed now",
    load: async () => (await import("./dlq/dlq-try.ts")).dlqTryCommand,
  },
  drop: {
    about: "Remove dead letters for good; their keys stay dead until an event",
    load: async () => (await import("./dlq/dlq-drop.ts")).dlqDropCommand,
  },
  export: {
    about: "Write dead letters as JSON, for capstan replay on another machine: one, or all as JSON lines",
    load: async () => (await import("./dlq/dlq-show.ts")).dlqExportCommand,
  },
};

/** Moving itself is the work of clusterctl; Capstan says beforehand what it will do. */
const MOVE: CommandTable = {
  plan: {
    about: "Print what clusterctl move would take, in which order, what stays behind and what stops it",
    load: async () => (await import("./move/plan.ts")).planCommand,
  },
};

/** How a MachineDeployment replaces its Machines. */
const ROLLOUT: CommandTable = {
  plan: {
    about:
      "Print every step of a rollout before it happens: Machines that are made and that go, how many are available, where it stops",
    load: async () => (await import("./rollout/plan.ts")).planCommand,
  },
  status: {
    about: "Wait until a rollout is done; say why it stands still",
    load: async () => (await import("./rollout/status.ts")).statusCommand,
  },
  restart: {
    about: "Replace all Machines by new ones of the same template: sets spec.rollout.after",
    load: async () => (await import("./rollout/change.ts")).restartCommand,
  },
  pause: {
    about: "Pause the rollouts of a MachineDeployment: sets spec.paused",
    load: async () => (await import("./rollout/change.ts")).pauseCommand,
  },
  resume: {
    about: "Resume paused rollouts",
    load: async () => (await import("./rollout/change.ts")).resumeCommand,
  },
};

/** Who works on which Clusters. */
const TAKEOVER: CommandTable = {
  plan: {
    about:
      "Print who works on which Clusters, how they would change hands, where a take-over stands, and what stops it",
    load: async () => (await import("./takeover/plan.ts")).planCommand,
  },
  start: {
    about:
      "Give Clusters of Cluster API's manager to Capstan: one after the other, or with --park-lease all at once",
    load: async () => (await import("./takeover/hand-over-command.ts")).startCommand,
  },
  back: {
    about:
      "Give Clusters of Capstan back to Cluster API's manager; frees its Lease where start has parked it",
    load: async () => (await import("./takeover/hand-over-command.ts")).backCommand,
  },
  retire: {
    about:
      "Retire Cluster API's manager with its webhooks when no Cluster is its own any more, or bring it back",
    load: async () => (await import("./takeover/retire.ts")).retireCommand,
  },
};

const COMMANDS: CommandTable = {
  up: {
    about:
      "Run everything in one process: API server, relay, functions, simulated cloud, and an example Cluster",
    load: async () => (await import("./up/up.ts")).upCommand,
  },
  manager: {
    about:
      "Run relay and worker in one process with the queue in memory: the manager of a provider in a Deployment",
    load: async () => (await import("./manager.ts")).managerCommand,
  },
  relay: {
    about: "Watch the management cluster and its workload clusters and enqueue reconcile keys",
    load: async () => (await import("./parts.ts")).relayCommand,
  },
  worker: {
    about: "Run functions for the keys on the queue; start as many as you need",
    load: async () => (await import("./parts.ts")).workerCommand,
  },
  webhook: {
    about: "Convert objects of Cluster API between v1beta1 and v1beta2 for the API server",
    load: async () => (await import("./webhook.ts")).webhookCommand,
  },
  convert: {
    about: "Print the manifests of a file with objects of v1beta1 as v1beta2",
    load: async () => (await import("./convert.ts")).convertCommand,
  },
  lambda: {
    about: "Serve functions in AWS Lambda: the Runtime API hands over the events of their SQS queues",
    load: async () => (await import("./lambda/lambda.ts")).lambdaCommand,
  },
  cloud: {
    about:
      "Run the simulated cloud alone: workload API servers and instances of one or several management clusters",
    load: async () => (await import("./cloud.ts")).cloudCommand,
  },
  console: {
    about:
      "Serve the console in a browser: state, history and dead letters of relay and workers that share a queue. Reads only, without --actions",
    load: async () => (await import("./console/console.ts")).consoleCommand,
  },
  explain: {
    about: "Explain the state of an object: what each function did, waits for and does next. Sends no write",
    load: async () => (await import("./explain/explain.ts")).explainCommand,
  },
  problems: {
    about: "List what must be mended, the worst first: one line each with cause and next step",
    load: async () => (await import("./problems.ts")).problemsCommand,
  },
  history: {
    about: "Print the last runs of an object's functions: cause, outcome, writes, and when they run again",
    load: async () => (await import("./history/history.ts")).historyCommand,
  },
  remediations: {
    about: "List remediations of Machines, the newest first: when, by which health check, with which outcome",
    load: async () => (await import("./remediations/remediations.ts")).remediationsCommand,
  },
  rbac: {
    about: "Print the rights that Capstan needs on kinds of providers, as ClusterRoles to apply",
    load: async () => (await import("./rbac.ts")).rbacCommand,
  },
  functions: {
    about: "List the functions: what each reconciles, what wakes it, what it writes",
    load: async () => (await import("./functions.ts")).functionsCommand,
  },
  queue: {
    about: "Show the keys of every function: ready, waiting, running, dead; or stop and resume a function",
    load: async () => (await import("./queue/queue.ts")).queueCommand,
    commands: QUEUE,
  },
  contract: {
    about: "Judge a provider by its contracts with Cluster API: CRDs, releases, objects, behaviour",
    load: async () => (await import("./options.ts")).contractCommand,
    commands: CONTRACT,
  },
  dlq: {
    about: "Dead letters: keys that have used up their attempts, with everything their last run read",
    commands: DLQ,
  },
  replay: {
    about: "Rerun a failed step on the reads that a dead letter recorded, without queue and API server",
    load: async () => (await import("./replay/replay.ts")).replayCommand,
  },
  "config-schema": {
    about: "Print the JSON schema of the file that relay, worker and the like take by --config",
    load: async () => (await import("./config-schema.ts")).configSchemaCommand,
  },
  secrets: {
    about:
      "Print new certificates and Redis users of a deployment, as Secrets for kubectl apply. Stores nothing; each call makes other ones",
    load: async () => (await import("./secrets.ts")).secretsCommand,
  },
  move: {
    about: "Say what clusterctl move will do with the Clusters of a namespace",
    commands: MOVE,
  },
  rollout: {
    about: "Rollouts of MachineDeployments: what they will do, where they stand, and their switches",
    commands: ROLLOUT,
  },
  takeover: {
    about: "Take Clusters over from Cluster API's manager, and give them back",
    commands: TAKEOVER,
  },
  version: {
    about: "Print the versions of Capstan and Node.js",
    load: async () => (await import("./version.ts")).versionCommand,
  },
  completion: {
    about: "Print a script that completes commands and options in a shell",
    load: async () => {
      const { completionCommand } = await import("./completion.ts");
      return (command) => completionCommand(command, () => declareAll(COMMANDS));
    },
  },
  "complete-words": {
    about: "Print names that may follow the words of a command, one per line",
    load: async () => (await import("./complete/complete.ts")).completeCommand,
    hidden: true,
  },
};
