import { execFileSync, spawn } from "node:child_process";

/** Checks that do not need each other: side by side they use all cores. */
const SIDE_BY_SIDE: readonly string[] = [
  "biome check",
  // More checkers do the same work more than once.
  "tsc --checkers 1",
  "tsc --checkers 1 --project infra/console/page",
  "knip",
  "node infra/cli/generate.ts --check",
];
const VITEST = "--config test/vitest.config.ts --project";

/**
 * Paths of the files that the work tree or the last commit changes. The tests of infra start servers and wait for
 * them, so the quick gate runs those of them that import a changed file; `npm test` runs all.
 */
function changedFiles(): readonly string[] {
  const git = (...args: readonly string[]) => execFileSync("git", args, { encoding: "utf8" }).split("\n");
  const paths = [
    ...git("diff", "--name-only", "HEAD~1"),
    ...git("ls-files", "--others", "--exclude-standard"),
  ];
  return paths.filter((path) => path.endsWith(".ts"));
}

/** Runs a command with the terminal, or with its output held back until it ends. Returns whether it succeeded. */
async function succeeds(command: string, { isAlone }: { readonly isAlone: boolean }): Promise<boolean> {
  const [program = "", ...args] = command.split(" ");
  const child = spawn(program, args, { stdio: isAlone ? "inherit" : ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part: Buffer) => output.push(part));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) process.stderr.write(`$ ${command}\n${Buffer.concat(output)}\n`);
  return code === 0;
}

const results = await Promise.all(SIDE_BY_SIDE.map((command) => succeeds(command, { isAlone: false })));
const isGood =
  results.every(Boolean) &&
  (await succeeds(`vitest run ${VITEST} unit`, { isAlone: true })) &&
  (await succeeds(["vitest related --run", VITEST, "infra", ...changedFiles()].join(" "), { isAlone: true }));
process.exitCode = isGood ? 0 : 1;
