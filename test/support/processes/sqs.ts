import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { buildApp } from "fauxqs";

/** A call as the SDK sends it; `action` is `SendMessageBatch` and the like. */
interface SqsRequest {
  readonly action: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whose keys have signed it. */
  readonly accessKeyId: string | undefined;
}

/** Change of a call by a test: an answer in its place, none at all, or `undefined` to let it through. */
type Fault = (request: SqsRequest) => { readonly status: number; readonly body: object } | "hang" | undefined;

export interface SqsServer extends AsyncDisposable {
  readonly endpoint: string;
  /** Every call that came in, oldest first. */
  readonly requests: readonly SqsRequest[];
  fault: Fault | undefined;
  /** Calls SQS directly, faults left aside. */
  call(action: string, body: object): Promise<Readonly<Record<string, unknown>>>;
  /** Breaks all connections and refuses new ones. */
  unplug(): Promise<void>;
  /** Listens again on the same port; what was in the queues is still there. */
  plugIn(): Promise<void>;
}

/**
 * An SQS protocol server (fauxqs) behind a listener of our own on a free loopback port: fauxqs by itself listens on all
 * interfaces, gives messages to clients that have hung up, and cannot be taken off the network.
 */
export async function startSqs(): Promise<SqsServer> {
  const app = buildApp({ logger: false, host: "127.0.0.1" });
  await app.ready();
  const requests: SqsRequest[] = [];
  let port = 0;
  let listener: Server | undefined;
  let closed = false;

  const inject = async (action: string, payload: string) =>
    app.inject({
      method: "POST",
      url: "/",
      headers: {
        host: `127.0.0.1:${port}`,
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": `AmazonSQS.${action}`,
      },
      payload,
    });

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await textOf(request);
    const action = String(request.headers["x-amz-target"]).replace("AmazonSQS.", "");
    const body: Record<string, unknown> = JSON.parse(text);
    const [, accessKeyId] = /Credential=([^/]+)\//.exec(request.headers.authorization ?? "") ?? [];
    requests.push({ action, body, accessKeyId });
    const refused = server.fault?.({ action, body, accessKeyId });
    if (refused === "hang") return;
    if (refused !== undefined) {
      response.writeHead(refused.status, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify(refused.body));
      return;
    }
    const answer = await inject(action, text);
    if (response.destroyed && action === "ReceiveMessage") {
      await giveBack(String(body["QueueUrl"]), answer.json());
      return;
    }
    const { "content-type": type, "x-amzn-query-error": error } = answer.headers;
    response.writeHead(answer.statusCode, {
      ...(type === undefined ? {} : { "content-type": String(type) }),
      ...(error === undefined ? {} : { "x-amzn-query-error": String(error) }),
    });
    response.end(answer.body);
  };
  const giveBack = async (
    QueueUrl: string,
    { Messages = [] }: { Messages?: { ReceiptHandle: string }[] },
  ) => {
    for (const { ReceiptHandle } of Messages) {
      await call("ChangeMessageVisibility", { QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
    }
  };
  const call = async (action: string, body: object) => {
    const answer = await inject(action, JSON.stringify(body));
    if (answer.statusCode !== 200) throw new Error(`${action}: ${answer.body}`);
    return answer.body === "" ? {} : answer.json<Record<string, unknown>>();
  };
  const plugIn = async (): Promise<void> => {
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      // A long poll may outlive its client and the test; with fauxqs closed its answer is not needed.
      serve(request, response).catch((error: unknown) => {
        if (!closed) throw error;
      });
    };
    listener = createServer(answer).listen(port, "127.0.0.1");
    await once(listener, "listening");
    const address = listener.address();
    port = typeof address === "object" && address !== null ? address.port : 0;
  };
  const unplug = async (): Promise<void> => {
    const closing = listener;
    listener = undefined;
    if (closing === undefined) return;
    closing.close();
    closing.closeAllConnections();
    await once(closing, "close");
  };
  const server: SqsServer = {
    get endpoint() {
      return `http://127.0.0.1:${port}`;
    },
    requests,
    fault: undefined,
    call,
    plugIn,
    unplug,
    [Symbol.asyncDispose]: async () => {
      closed = true;
      await unplug();
      await app.close();
    },
  };
  await plugIn();
  return server;
}

/** Credentials that fauxqs takes, as it takes any. */
const SQS_CREDENTIALS = { accessKeyId: "test", secretAccessKey: "test" };
const SQS_REGION = "us-east-1";

/** Settings of a client for this server. */
export function sqsTarget({ endpoint }: Pick<SqsServer, "endpoint">) {
  return { endpoint, region: SQS_REGION, credentials: SQS_CREDENTIALS };
}

export interface SqsMessage {
  readonly Body: string;
  readonly ReceiptHandle: string;
}

/** Receives up to ten messages and leaves them in flight for `seconds`. */
export async function takeMessages(
  sqs: SqsServer,
  name: string,
  seconds = 30,
): Promise<readonly SqsMessage[]> {
  const { QueueUrl } = await sqs.call("GetQueueUrl", { QueueName: name });
  const { Messages = [] } = await sqs.call("ReceiveMessage", {
    QueueUrl,
    MaxNumberOfMessages: 10,
    VisibilityTimeout: seconds,
  });
  return Messages as readonly SqsMessage[];
}

export async function putMessages(sqs: SqsServer, name: string, bodies: readonly string[]): Promise<void> {
  const { QueueUrl } = await sqs.call("GetQueueUrl", { QueueName: name });
  for (const MessageBody of bodies) await sqs.call("SendMessage", { QueueUrl, MessageBody });
}

/** Messages of a queue, visible and in flight. */
export async function countMessages(sqs: SqsServer, name: string): Promise<number> {
  const { QueueUrl } = await sqs.call("GetQueueUrl", { QueueName: name });
  const AttributeNames = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"];
  const { Attributes } = await sqs.call("GetQueueAttributes", { QueueUrl, AttributeNames });
  return Object.values(Attributes as Record<string, string>).reduce((sum, text) => sum + Number(text), 0);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}
