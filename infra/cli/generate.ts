import { fileURLToPath } from "node:url";
import { generateReadme } from "../cli/readme.ts";
import { renderInto } from "../deploy/rendered.ts";
import { generateCrds } from "../platform/crds/generate.ts";

const RENDERED = fileURLToPath(new URL("../.capstan/rendered", import.meta.url));

/**
 * Runs `npm run generate`: writes every file that is generated and committed, and renders the others into
 * `.capstan/rendered`. `--check` only lists committed files that are out of date.
 */
const check = process.argv.includes("--check");
const differing = [...(await generateCrds({ check })), ...(await generateReadme({ check }))];
for (const file of differing) process.stdout.write(`${file}\n`);
if (!check) await renderInto(RENDERED);
else if (differing.length > 0) {
  process.stderr.write("These generated files are not up to date; run `npm run generate`\n");
  process.exitCode = 1;
}
