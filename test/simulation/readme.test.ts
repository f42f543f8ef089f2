import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { spawnChild } from "../support/processes/spawn-child.ts";

const PAGE = new URL("README.md", import.meta.url);
const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

/** Options that make a command short, and the required end of its output. */
const SHORT: { readonly [command: string]: { readonly more?: string; readonly says: RegExp } } = {
  "--seed 7 --workload W-01": { says: /^no violation$/m },
  "sweep --workload W-01": { more: "--every 600", says: /^W-01 +\d+ +\d+ +0$/m },
  "swarm --seeds 2000": { more: "--workload W-01 --seeds 2", says: /^2 seeds, 0 failed/m },
  "explain 7 --workload W-01": {
    says: /PATCH machinepools default\/p1 status as capstan-machinepool-status [\s\S]*no violation/,
  },
  golden: { more: "--workload W-01", says: /^W-01 +as reviewed$/m },
  "defects --seeds 50": { more: "--defect D-03", says: /D-03 +\d+/ },
  exhaustive: { more: "--only conflict", says: /^conflict +\d+ +\d+ +true +1 +0/m },
  // real/real.test.ts plays two of its scenarios; one takes a minute and a half.
  real: { more: "--help", says: /kill, freeze and cut off real processes/ },
};

/** Both streams of a command that must succeed. */
function simulate(args: string): Promise<string> {
  const child = spawnChild(process.execPath, [MAIN, ...args.split(" ")], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return new Promise((resolve, reject) => {
    child.once("close", (code) => (code === 0 ? resolve(output) : reject(new Error(`${args}: ${output}`))));
  });
}

describe("the commands of the page about the simulation", () => {
  it("work when they are copied line by line", async () => {
    const page = await readFile(PAGE, "utf8");
    const [, block = ""] = /```sh\n([\s\S]*?)```/.exec(page) ?? [];
    const commands = block
      .split("\n")
      .flatMap((line) => /^npm run simulate -- (.*?) +#/.exec(line)?.[1] ?? []);
    expect(commands).toEqual(Object.keys(SHORT));
    for (const command of commands) {
      const { more = "", says } = SHORT[command] ?? { says: /^$/ };
      expect(await simulate(`${command} ${more}`.trim()), command).toMatch(says);
    }
  });

  it.each([
    ["--workload W-99", "Allowed choices are W-01, W-02"],
    ["swarm --fault X-none", "Allowed choices are X-01, X-02"],
    ["defects --defect D-99", "Allowed choices are D-01, D-02"],
    ["exhaustive --only nothing", "Allowed choices are conflict, lost-answer"],
    ["real --only 21", "Allowed choices are 1, 2"],
    ["explain seven", "'seed'. a whole number is needed"],
    ["explain 7 --from noon", "a time such as 1:02:03.5"],
    ["sweep --every 0", "a whole number above 0 is needed"],
  ])("say what is wrong with %s", async (args, why) => {
    await expect(simulate(args)).rejects.toThrow(why);
  });
});
