import { spawnChild } from "./spawn-child.ts";

/** A program that never ends fails, with its output so far, before the test around it runs into its time limit. */
export const LIMIT = { timeout: 9 * 60_000, killSignal: "SIGKILL" } as const;

interface Ran {
  readonly ok: boolean;
  readonly stdout: string;
  /** Both streams. */
  readonly output: string;
}

/** One other program: its arguments are split at blanks; quote with single quotes. */
export interface CommandLine {
  /** Standard output of one command. Throws with both streams when it fails. `input` goes to standard input. */
  (args: string, input?: string): Promise<string>;
  /** Whether the command succeeds, and what it printed. */
  try(args: string, input?: string): Promise<Ran>;
}

/** Returns calls of `binary`, each with `first` before its own arguments. */
export function commandLine(
  binary: string,
  first: readonly string[],
  env: { readonly [name: string]: string | undefined },
): CommandLine {
  const attempt = (args: string, input?: string) => run(binary, [...first, ...split(args)], env, input);
  const name = binary.slice(binary.lastIndexOf("/") + 1);
  const command = async (args: string, input?: string): Promise<string> => {
    const { ok, stdout, output } = await attempt(args, input);
    if (!ok) throw new Error(`${name} ${args}: ${output}`);
    return stdout;
  };
  return Object.assign(command, { try: attempt });
}

function split(args: string): readonly string[] {
  return [...args.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

function run(
  binary: string,
  args: readonly string[],
  env: { readonly [name: string]: string | undefined },
  input = "",
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawnChild(binary, args, { stdio: ["pipe", "pipe", "pipe"], env, ...LIMIT });
    let stdout = "";
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      output += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ ok: code === 0, stdout, output }));
    // One that ends before it has read everything says why by its exit code.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}
