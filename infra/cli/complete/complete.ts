import { parseArgs } from "node:util";
import type { Command } from "commander";
import { printSource } from "../../platform/terminal/print.ts";

/** The time limit for people; tests and slow machines give more. */
const WITHIN_MS = 300;
const MAX_NAMES = 500;
/** Shells expand some of what they are offered: no name with another character is. */
const SAFE = /^[A-Za-z0-9._/@+-]+$/;

interface CompleteOptions {
  readonly within: string;
}

/** Completes names for the scripts of `capstan completion`; not for people, so `--help` does not show it. */
export function completeCommand(command: Command): Command {
  return command
    .option("--within <ms>", "print nothing later than this", String(WITHIN_MS))
    .argument("[words...]", "words behind capstan, the last is being typed")
    .action(async (words: readonly string[], { within }: CompleteOptions) => {
      const limitMs = Number(within) > 0 ? Number(within) : WITHIN_MS;
      // Since the start of the process: a person waits for that, too.
      const timer = setTimeout(() => process.exit(0), Math.max(0, limitMs - performance.now()));
      const names = await namesFor(words).catch(() => []);
      clearTimeout(timer);
      const typed = words.at(-1) ?? "";
      const offered = names.filter((name) => name.startsWith(typed) && SAFE.test(name)).slice(0, MAX_NAMES);
      if (performance.now() <= limitMs) printSource(offered.map((name) => `${name}\n`).join(""));
    });
}

/** A command line behind `capstan`. */
interface Typed {
  /** Start of the word that is being typed. */
  readonly word: string;
  readonly positionals: readonly string[];
  readonly options: { readonly [name: string]: string | undefined };
}

/** Options of all commands that are completed, with a value: it is not a name. */
const VALUES = [
  "queue",
  "queue-file",
  "redis-ca",
  "kubeconfig",
  "dead-letters",
  "functions-dir",
  "namespace",
  "metrics-address",
  "file",
  "output",
  "set",
  "new-machines",
];

/** Returns names that may take the place of the last word; none where nothing is known. Rejects when nothing answers. */
async function namesFor(words: readonly string[]): Promise<readonly string[]> {
  const typed = { ...typedIn(words.slice(0, -1)), word: words.at(-1) ?? "" };
  const [command = "", ...rest] = typed.positionals;
  if (command === "explain" || command === "history") return kindOrObject(rest, typed);
  if (command === "rollout") return rest.length === 1 ? kindOrObject(["machinedeployment"], typed) : [];
  if (command === "queue") return functionNames();
  if (command !== "dlq" || rest.length === 0) return [];
  const [subcommand = "", functionName, ...keys] = rest;
  if (functionName === undefined) return functionNames();
  const takesMore = subcommand === "replay" || subcommand === "drop" || keys.length === 0;
  return takesMore && subcommand !== "list" ? keysOfLetters(functionName, typed) : [];
}

function typedIn(words: readonly string[]): Omit<Typed, "word"> {
  const options = Object.fromEntries(VALUES.map((name) => [name, { type: "string" } as const]));
  const { values, positionals } = parseArgs({
    args: [...words],
    strict: false,
    allowPositionals: true,
    options: {
      ...options,
      output: { type: "string", short: "o" },
      file: { type: "string", short: "f" },
      namespace: { type: "string", short: "n" },
    },
  });
  const texts = Object.entries(values).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  return { positionals, options: Object.fromEntries(texts) };
}

async function functionNames(): Promise<readonly string[]> {
  const { functionFiles } = await import("../../worker/load.ts");
  return [...(await functionFiles()).keys()].sort((a, b) => a.localeCompare(b));
}

async function kindOrObject(rest: readonly string[], { options, word }: Typed): Promise<readonly string[]> {
  const { KINDS } = await import("../../../shared/api/registry.ts");
  const own = KINDS.filter(
    ({ group }) => group === "cluster.x-k8s.io" || group.endsWith(".cluster.x-k8s.io"),
  );
  const [name, ...more] = rest;
  if (name === undefined) return own.map(({ kind }) => kind.toLowerCase());
  const kind = own.find((each) => each.kind.toLowerCase() === name.toLowerCase());
  if (kind === undefined || more.length > 0) return [];
  const { namesOfObjects } = await import("./names-of-objects.ts");
  return namesOfObjects(kind, word, options["kubeconfig"]);
}

/** Ends of keys, as `capstan dlq` takes them: `default/demo-pool`. */
async function keysOfLetters(functionName: string, { options }: Typed): Promise<readonly string[]> {
  const { namesOfLetters } = await import("./names-of-objects.ts");
  return namesOfLetters(functionName, {
    queue: options["queue"],
    queueFile: options["queue-file"],
    redisCa: options["redis-ca"],
    redisMayLoseData: true,
    deadLetters: options["dead-letters"],
  });
}
