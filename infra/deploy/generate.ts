import { generateReadme } from "../cli/readme.ts";
import { generateOpenApi } from "../console/generate.ts";
import { generateCrds } from "../platform/crds/generate.ts";
import { generateForAws } from "./lambda/generate.ts";
import { generateManifests } from "./manifests/generate.ts";
import { generateObservation } from "./observation/generate.ts";

/**
 * Runs `npm run generate`: writes every file that is generated and committed. `--check` only lists files that
 * are out of date.
 */
const check = process.argv.includes("--check");
const differing = [
  ...(await generateCrds({ check })),
  ...(await generateOpenApi({ check })),
  ...(await generateManifests({ check })),
  ...(await generateForAws({ check })),
  ...(await generateObservation({ check })),
  ...(await generateReadme({ check })),
];
for (const file of differing) process.stdout.write(`${file}\n`);
if (check && differing.length > 0) {
  process.stderr.write("These generated files are not up to date; run `npm run generate`\n");
  process.exitCode = 1;
}
