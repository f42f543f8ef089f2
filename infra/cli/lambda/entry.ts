import { readEnvironment } from "../../platform/config.ts";
import { parseLimit } from "../../queue/deletion-limit/parse-limit.ts";
import { parseRunsPerSecond } from "../../queue/parse-runs-per-second.ts";
import { DEFAULT_TIMEOUT_SECONDS } from "../../worker/lambda.ts";
import { openLambda, parseTimeout } from "./open-lambda.ts";

const {
  CAPSTAN_FUNCTIONS,
  CAPSTAN_LAMBDA_TIMEOUT_SECONDS: timeout,
  CAPSTAN_MAX_DELETIONS_PER_HOUR: limit = "none",
  CAPSTAN_NAMESPACE_RUNS_PER_SECOND: runs,
} = readEnvironment();

/**
 * Handler of a Lambda function made of the folder that `npm run build` writes: `infra/cli/lambda/entry.handler`, with
 * AWS's own runtime for Node.js. Its settings are variables, since it has no command line. A wrong one ends the start.
 */
export const handler = await openLambda({
  functions: CAPSTAN_FUNCTIONS?.split(",") ?? ["*"],
  maxDeletionsPerHour: parseLimit(limit),
  namespaceRunsPerSecond: runs === undefined ? undefined : parseRunsPerSecond(runs),
  timeoutSeconds: timeout === undefined ? DEFAULT_TIMEOUT_SECONDS : parseTimeout(timeout),
});
