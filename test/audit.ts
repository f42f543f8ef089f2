import { spawnSync } from "node:child_process";
import { judgeAudit } from "./support/audit.ts";

/*
 * Asks the registry whether the locked packages have known weaknesses of level high or above, and fails if so. A registry
 * that does not answer is reported and fails nothing, since many mirrors cannot. Accepted ones: support/audit.ts.
 *
 *   npm run audit
 */

const LONGEST_MS = 60_000;

const { stdout, stderr } = spawnSync("npm", ["audit", "--json"], { encoding: "utf8", timeout: LONGEST_MS });
if (stdout === "") {
  console.log(`npm audit did not answer within ${LONGEST_MS / 1_000} s: ${stderr.slice(0, 300)}`);
} else {
  const audit = judgeAudit(stdout, new Date().toISOString().slice(0, 10));
  if (audit.type === "unanswered") console.log(`npm audit: the registry does not answer (${audit.why})`);
  else if (audit.problems.length === 0) console.log("npm audit: nothing known of level high or above");
  else {
    console.error(`npm audit: update these packages\n${audit.problems.join("\n")}`);
    process.exitCode = 1;
  }
}
