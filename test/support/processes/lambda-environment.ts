import type { ChildProcess } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { refuseLeaks } from "../canaries.ts";
import { type LambdaAnswer, startLambdaApi } from "./lambda-api.ts";
import { spawnChild } from "./spawn-child.ts";

/** How an invocation has ended. */
type LambdaOutcome = LambdaAnswer | { readonly type: "timeout" } | { readonly type: "exit" };

/** One execution environment of AWS Lambda: a process that is frozen whenever it has nothing to do. */
export interface LambdaEnvironment extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Both streams so far. */
  output(): string;
  /** Thaws the process, hands over an event, freezes it when it asks for the next one. At the timeout, kills it. */
  invoke(event: object): Promise<LambdaOutcome>;
  /** How often it was frozen. */
  readonly freezes: number;
  /** Its reports that its start has failed. */
  readonly initErrors: readonly LambdaAnswer[];
  /** Exit code, null when it was killed. */
  readonly ended: Promise<number | null>;
}

interface EnvironmentOptions {
  /** A program and its arguments. */
  readonly command: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
  readonly timeoutMs: number;
}

export async function startLambdaEnvironment({
  command: [program = "", ...args],
  env,
  timeoutMs,
}: EnvironmentOptions): Promise<LambdaEnvironment> {
  const api = await startLambdaApi();
  const child = spawnChild(program, args, {
    env: { PATH: process.env["PATH"], HOME: "/tmp", AWS_LAMBDA_RUNTIME_API: api.address, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const exit = ended.then(() => ({ type: "exit" }) as const);
  let freezes = 0;
  return {
    child,
    output: () => output,
    get freezes() {
      return freezes;
    },
    initErrors: api.initErrors,
    ended,
    async invoke(event) {
      child.kill("SIGCONT");
      const started = await Promise.race([api.idle(), exit]);
      if (started !== undefined) return started;
      const over = new AbortController();
      const late = setTimeout(timeoutMs, { type: "timeout" } as const, { signal: over.signal });
      late.catch(() => undefined);
      const answer = api.invoke(JSON.stringify(event), { deadlineMs: Date.now() + timeoutMs });
      const outcome = await Promise.race([answer, exit, late]);
      over.abort();
      if (outcome.type === "timeout") child.kill("SIGKILL");
      if (outcome.type !== "response") return outcome;
      await Promise.race([api.idle(), exit]);
      child.kill("SIGSTOP");
      freezes += 1;
      return outcome;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGCONT");
      child.kill("SIGTERM");
      const impatience = AbortSignal.timeout(20_000);
      impatience.addEventListener("abort", () => child.kill("SIGKILL"));
      await ended;
      await api[Symbol.asyncDispose]();
      refuseLeaks("capstan lambda", output);
    },
  };
}
