import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { eventually } from "../eventually.ts";

/** How a process has answered an invocation. */
export interface LambdaAnswer {
  readonly type: "response" | "error";
  readonly body: unknown;
  /** Header Lambda-Runtime-Function-Error-Type of an error. */
  readonly errorType?: string | undefined;
}

/** The Runtime API of AWS Lambda on a free loopback port, for one process. */
interface LambdaApi extends AsyncDisposable {
  /** AWS_LAMBDA_RUNTIME_API of the process. */
  readonly address: string;
  /** Hands over an event as this text, as soon as the process asks for one, and resolves with its answer. */
  invoke(event: string, limits?: { readonly deadlineMs?: number }): Promise<LambdaAnswer>;
  /** Resolves when the process asks for the next event. */
  idle(): Promise<void>;
  /** Reports of the process that its start has failed. */
  readonly initErrors: readonly LambdaAnswer[];
  /** Answers the next call with this status. */
  failNext(status: number): void;
}

/** Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html */
export async function startLambdaApi(): Promise<LambdaApi> {
  const answers = new Map<string, (answer: LambdaAnswer) => void>();
  const initErrors: LambdaAnswer[] = [];
  let waiting: ServerResponse | undefined;
  let failing: number | undefined;
  let count = 0;
  const accepted = (response: ServerResponse): void => {
    response.writeHead(202, { "content-type": "application/json" }).end('{"status":"OK"}');
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = (await request.toArray()).join("");
    if (failing !== undefined) {
      response.writeHead(failing).end("{}");
      failing = undefined;
      return;
    }
    const [, version, , ...path] = request.url?.split("/") ?? [];
    if (version !== "2018-06-01") throw new Error(`version ${version} of the Runtime API`);
    const errorType = request.headers["lambda-runtime-function-error-type"]?.toString();
    if (path.join("/") === "init/error") {
      initErrors.push({ type: "error", body: JSON.parse(text), errorType });
      return accepted(response);
    }
    const [, id = "", kind] = path;
    if (id === "next") {
      waiting = response;
      response.once("close", () => {
        if (waiting === response) waiting = undefined;
      });
      return;
    }
    const answer = answers.get(id);
    if (answer === undefined) return void response.writeHead(400).end("{}");
    answers.delete(id);
    accepted(response);
    if (kind === "response") answer({ type: "response", body: JSON.parse(text) });
    else answer({ type: "error", body: JSON.parse(text), errorType });
  };
  const server = createServer((request, response) => void serve(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const idle = async (): Promise<void> => {
    await eventually(() => waiting !== undefined, { withinMs: 60_000 });
  };
  return {
    address: `127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    initErrors,
    idle,
    failNext: (status) => {
      failing = status;
    },
    async invoke(event, { deadlineMs = Date.now() + 60_000 } = {}) {
      await idle();
      count += 1;
      const id = `8476a536-e9f4-11e8-9739-${String(count).padStart(12, "0")}`;
      const answered = new Promise<LambdaAnswer>((resolve) => answers.set(id, resolve));
      waiting?.writeHead(200, {
        "content-type": "application/json",
        "lambda-runtime-aws-request-id": id,
        "lambda-runtime-deadline-ms": deadlineMs,
        "lambda-runtime-invoked-function-arn": "arn:aws:lambda:us-east-1:000000000000:function:capstan",
        "lambda-runtime-trace-id":
          "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1",
      });
      waiting?.end(event);
      waiting = undefined;
      return answered;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
