import { fileURLToPath } from "node:url";
import { KINDS } from "../../shared/api/registry.ts";
import { renderInto } from "../deploy/rendered.ts";
import { generateCrds } from "../platform/crds/generate.ts";
import { print, printError } from "../platform/terminal/print.ts";
import { SIM_KINDS } from "../playground/api/kinds.ts";
import { generateReadme } from "./readme.ts";

const RENDERED = fileURLToPath(new URL("../../.capstan/rendered", import.meta.url));

/**
 * Runs `npm run generate`: writes every file that is generated and committed, and renders the others into
 * `.capstan/rendered`. `--check` only lists committed files that are out of date.
 */
const check = process.argv.includes("--check");
const differing = [
  ...(await generateCrds([...KINDS, ...SIM_KINDS], { check })),
  ...(await generateReadme({ check })),
];
for (const file of differing) print(file);
if (!check) await renderInto(RENDERED);
else if (differing.length > 0) {
  printError("these generated files are not up to date; run npm run generate");
  process.exitCode = 1;
}
