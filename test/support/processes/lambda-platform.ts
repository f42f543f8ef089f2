import { accessDenied, isAllowed, type Principal, principal } from "../aws/iam.ts";
import { arnOf, type Stack, type StackLambda } from "../aws/stack.ts";
import { type LambdaEnvironment, startLambdaEnvironment } from "./lambda-environment.ts";
import type { SqsServer } from "./sqs.ts";

/** A call that a principal has made, allowed or not: `capstan-relay sqs:SendMessage capstan-cluster-guard-live`. */
interface SeenCall {
  readonly principal: string;
  readonly action: string;
  readonly queue: string;
  readonly allowed: boolean;
}

/** The part of AWS that runs a stack: its queues, its roles, its event source mappings and its Lambda functions. */
export interface LambdaPlatform extends AsyncDisposable {
  readonly environments: ReadonlyMap<string, readonly LambdaEnvironment[]>;
  principalOf(name: string): Principal;
  readonly calls: readonly SeenCall[];
  /** Timeouts, ends and errors of invocations, and refused polls. */
  readonly failures: readonly string[];
}

interface PlatformOptions {
  readonly stack: Stack;
  readonly sqs: SqsServer;
  /** Program and arguments in front of the command of the image. */
  readonly entrypoint: readonly string[];
  /** Environments of a Lambda function. */
  readonly environments: (name: string) => number;
  /** Changes what the template sets: the emulator is not where the SDK looks for SQS. */
  readonly adapt: (variables: StackLambda["environment"]) => StackLambda["environment"];
}

/** Creates the queues of a stack and lets its Lambda functions poll them, each call under the role of the stack. */
export async function startLambdaPlatform(options: PlatformOptions): Promise<LambdaPlatform> {
  const { stack, sqs } = options;
  await using starting = new AsyncDisposableStack();
  for (const { name, attributes } of stack.queues) {
    await sqs.call("CreateQueue", { QueueName: name, Attributes: attributes });
  }
  const principals = [
    principal("capstan-relay", stack.relay),
    ...stack.lambdas.map(({ name, statements }) => principal(name, statements)),
  ];
  const calls: SeenCall[] = [];
  const failures: string[] = [];
  /** `undefined` when the roles allow it, else the answer of AWS. */
  const refusalOf = (caller: Principal, action: string, queue: string, context = {}) => {
    const call = { action: `sqs:${action.replace(/Batch$/, "")}`, resource: arnOf(queue), context };
    const allowed = isAllowed(caller.statements, call);
    calls.push({ principal: caller.name, action: call.action, queue, allowed });
    return allowed ? undefined : accessDenied(caller, call);
  };
  sqs.fault = ({ action, body, accessKeyId }) => {
    const caller = principals.find((each) => each.accessKeyId === accessKeyId);
    if (caller === undefined) return { status: 403, body: { __type: "InvalidClientTokenId" } };
    const queue = String(body["QueueName"] ?? String(body["QueueUrl"]).split("/").at(-1));
    return refusalOf(caller, action, queue, { "lambda:SourceFunctionArn": caller.name });
  };
  const over = new AbortController();
  const environments = new Map<string, LambdaEnvironment[]>();
  const polling: Promise<void>[] = [];
  for (const lambda of stack.lambdas) {
    const role = principals.find(({ name }) => name === lambda.name) as Principal;
    const started = await Promise.all(
      Array.from({ length: options.environments(lambda.name) }, () =>
        startLambdaEnvironment({
          command: [...options.entrypoint, ...lambda.command],
          timeoutMs: lambda.timeoutSeconds * 1_000,
          env: {
            AWS_REGION: "us-east-1",
            AWS_ACCESS_KEY_ID: role.accessKeyId,
            AWS_SECRET_ACCESS_KEY: role.secretAccessKey,
            ...options.adapt(lambda.environment),
          },
        }),
      ),
    );
    for (const each of started) starting.use(each);
    environments.set(lambda.name, started);
    const invoke = turnsOf(started);
    const poll = async (queue: string): Promise<void> => {
      const { QueueUrl } = await sqs.call("GetQueueUrl", { QueueName: queue });
      const asRole = async (action: string, body: object) => {
        const refusal = refusalOf(role, action, queue);
        if (refusal === undefined) return sqs.call(action, { QueueUrl, ...body });
        failures.push(`${action}: ${refusal.body.message}`);
        return {};
      };
      // As at the creation of the mapping.
      await asRole("GetQueueAttributes", { AttributeNames: ["QueueArn"] });
      while (!over.signal.aborted) {
        const { Messages = [] } = await asRole("ReceiveMessage", RECEIVE);
        const messages = Messages as readonly Received[];
        if (messages.length === 0) await pause();
        else await handOver(messages, queue, { invoke, asRole, failures });
      }
    };
    polling.push(...lambda.queues.map(poll));
  }
  const ended = Promise.all(polling);
  // Shown at the end.
  ended.catch(() => undefined);
  starting.defer(async () => {
    over.abort();
    await ended;
  });
  const running = starting.move();
  return {
    environments,
    calls,
    failures,
    principalOf: (name) => principals.find((each) => each.name === name) as Principal,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Lambda polls for 20 s; a test ends sooner. */
const RECEIVE = { MaxNumberOfMessages: 10, WaitTimeSeconds: 1 };

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

interface Received {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
}

interface Hands {
  readonly invoke: LambdaEnvironment["invoke"];
  readonly asRole: (action: string, body: object) => Promise<unknown>;
  readonly failures: string[];
}

/** Hands messages over as Lambda does, and deletes those that are not reported. */
async function handOver(
  messages: readonly Received[],
  queue: string,
  { invoke, asRole, failures }: Hands,
): Promise<void> {
  const Records = messages.map(({ MessageId, ReceiptHandle, Body, MD5OfBody }) => ({
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: { ApproximateReceiveCount: "1", SentTimestamp: String(Date.now()) },
    messageAttributes: {},
    md5OfBody: MD5OfBody,
    eventSource: "aws:sqs",
    eventSourceARN: arnOf(queue),
    awsRegion: "us-east-1",
  }));
  const outcome = await invoke({ Records });
  if (outcome.type !== "response") return void failures.push(`${queue}: ${JSON.stringify(outcome)}`);
  const { batchItemFailures } = outcome.body as { batchItemFailures: readonly { itemIdentifier: string }[] };
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  for (const { MessageId, ReceiptHandle } of messages) {
    if (!failed.has(MessageId)) await asRole("DeleteMessage", { ReceiptHandle });
  }
}

/** Gives each event to the environment that has waited longest; while all are busy, events wait. */
function turnsOf(environments: readonly LambdaEnvironment[]): LambdaEnvironment["invoke"] {
  const free = [...environments];
  const waiting: ((environment: LambdaEnvironment) => void)[] = [];
  return async (event) => {
    const environment =
      free.shift() ?? (await new Promise<LambdaEnvironment>((resolve) => waiting.push(resolve)));
    try {
      return await environment.invoke(event);
    } finally {
      const next = waiting.shift();
      if (next === undefined) free.push(environment);
      else next(environment);
    }
  };
}
