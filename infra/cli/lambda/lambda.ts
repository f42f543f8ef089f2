import { type Command, InvalidArgumentError, Option } from "commander";
import { messageOf } from "../../../shared/function/errors.ts";
import { readEnvironment } from "../../platform/config.ts";
import { DEFAULT_TIMEOUT_SECONDS } from "../../worker/lambda.ts";
import { openRuntimeApi } from "../../worker/lambda-runtime.ts";
import { addWorkOptions, stopRequested } from "../options.ts";
import { addQueueOptions } from "../queue-options.ts";
import { openLog } from "../terminal/log.ts";
import { type OpenLambdaOptions, openLambda, parseTimeout } from "./open-lambda.ts";

export function lambdaCommand(command: Command): Command {
  addQueueOptions(addWorkOptions(command), "sqs://REGION?redis=rediss://HOST:PORT, as the relay has it");
  return command.addOption(timeoutOption()).action(serve);
}

async function serve(options: OpenLambdaOptions): Promise<void> {
  const { AWS_LAMBDA_RUNTIME_API, CAPSTAN_LOG_LEVEL } = readEnvironment();
  if (AWS_LAMBDA_RUNTIME_API === undefined) {
    throw new Error(
      "AWS_LAMBDA_RUNTIME_API is not set: capstan lambda runs in AWS Lambda; elsewhere, use capstan worker",
    );
  }
  const runtime = openRuntimeApi(AWS_LAMBDA_RUNTIME_API, openLog(options.logLevel ?? CAPSTAN_LOG_LEVEL));
  const stop = new AbortController();
  void stopRequested().then(() => stop.abort());
  await using handler = await openLambda(options).catch(async (error: unknown) => {
    await runtime.failInit(error);
    throw error;
  });
  await runtime.serve(handler, stop.signal);
}

function timeoutOption(): Option {
  const about = "timeout of the Lambda function: a run gets almost half of it";
  return new Option("--timeout-seconds <seconds>", about)
    .default(DEFAULT_TIMEOUT_SECONDS)
    .argParser((text) => {
      try {
        return parseTimeout(text);
      } catch (error) {
        throw new InvalidArgumentError(messageOf(error));
      }
    });
}
