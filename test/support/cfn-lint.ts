import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";

/** On PATH, or where `npm run setup` puts it. */
const CANDIDATES = [
  "cfn-lint",
  join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "capstan/cfn-lint/bin/cfn-lint"),
];

/** Looked for once: Python takes longer to start than Node.js. */
const found = CANDIDATES.find(
  (program) => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0,
);

/** Why cfn-lint cannot be run here; undefined when it can. */
export function cfnLintMissing(): string | undefined {
  return found === undefined ? "no cfn-lint; npm run setup" : undefined;
}

interface Finding {
  readonly Filename: string;
  readonly Message: string;
  readonly Rule: { readonly Id: string };
}

/** Returns the findings of cfn-lint, of any severity. */
export function cfnLint(...files: readonly string[]): readonly Finding[] {
  const args = ["--format", "json", "--include-checks", "I", "--", ...files];
  const { stdout, stderr } = spawnSync(found ?? "cfn-lint", args, { encoding: "utf8" });
  if (stdout === "") throw new Error(`cfn-lint printed no findings: ${stderr}`);
  return JSON.parse(stdout);
}
