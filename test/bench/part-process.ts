import { once } from "node:events";
import { spawnChild } from "../support/processes/spawn-child.ts";
import { capstanCommand } from "./capstan-command.ts";
import { type Usage, usageOf } from "./capstan-process.ts";

const ROOT = new URL("../../", import.meta.url);

/** `capstan relay` or `capstan worker` of this checkout, as users start it. */
export interface PartProcess extends AsyncDisposable {
  readonly pid: number;
  usage(): Promise<Usage>;
  /** The metrics that it serves, as text. */
  metrics(): Promise<string>;
  /** No goodbye: as a lost machine. */
  kill(): Promise<void>;
}

/** Starts it; resolves when it says that it works. */
export async function startPart(...args: readonly string[]): Promise<PartProcess> {
  const { flags, main } = await capstanCommand();
  const seen = ["--metrics-address", "127.0.0.1:0", "--log-level", "error"];
  const child = spawnChild(process.execPath, [...flags, main, ...args, ...seen], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`capstan ${args[0]} ended with ${code} instead of starting`);
  });
  const url = await Promise.race([metricsUrl(child.stdout), ended]);
  ended.catch(() => undefined);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  };
  return {
    pid: child.pid ?? 0,
    usage: () => usageOf(child.pid),
    metrics: async () => (await fetch(`${url}/metrics`)).text(),
    kill: () => end("SIGKILL"),
    [Symbol.asyncDispose]: () => end("SIGTERM"),
  };
}

/** Reads on afterwards: a process that ends has something to say. */
function metricsUrl(stdout: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve) => {
    let printed = "";
    stdout.on("data", (chunk) => {
      printed += String(chunk);
      const [, url] = /metrics: (http:\S+)\/metrics/.exec(printed) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
}

/** Returns the value of a metric, summed over all lines that have these labels; 0 without any. */
export function metricSum(text: string, name: string, ...labels: readonly string[]): number {
  return text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}

/** Returns the same, summed over processes as well. */
export async function sumOver(
  parts: readonly PartProcess[],
  name: string,
  ...labels: readonly string[]
): Promise<number> {
  const texts = await Promise.all(parts.map((part) => part.metrics()));
  return texts.reduce((sum, text) => sum + metricSum(text, name, ...labels), 0);
}
