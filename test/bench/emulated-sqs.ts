import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { createSqsQueue } from "../../infra/queue/backends/sqs/sqs.ts";
import type { Log } from "../../shared/runtime/ports.ts";
import { type Contender, contenderOf } from "./queue-loads.ts";

/** The sqs driver against fauxqs in this process, behind a loopback listener of our own: it listens on all interfaces. */
export async function createEmulatedSqs(url: string, log: Log): Promise<Contender> {
  const { buildApp } = await import("fauxqs");
  const app = buildApp({ logger: false, host: "127.0.0.1" });
  await app.ready();
  const listener = createServer(async (request, response) => {
    const answer = await app.inject({
      method: "POST",
      url: "/",
      headers: {
        host: request.headers.host ?? "",
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": String(request.headers["x-amz-target"]),
      },
      payload: await textOf(request),
    });
    response.writeHead(answer.statusCode, { "content-type": "application/x-amz-json-1.0" });
    response.end(answer.body);
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const queue = await createSqsQueue({
    url,
    log,
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    credentials: { accessKeyId: "bench", secretAccessKey: "bench" },
    waitSeconds: 1,
  });
  const contender = contenderOf("sqs (emulated)", queue);
  return {
    ...contender,
    [Symbol.asyncDispose]: async () => {
      await contender[Symbol.asyncDispose]();
      listener.close();
      listener.closeAllConnections();
      await app.close();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
