import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A collector of spans that writes each request into a line of a file, as that of OpenTelemetry does. */
interface SpanCollector extends AsyncDisposable {
  readonly url: string;
}

export async function startSpanCollector(file: string): Promise<SpanCollector> {
  const lines = createWriteStream(file);
  const server = createServer(async (request, response) => {
    lines.write(`${await text(request)}\n`, () => response.end("{}"));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await new Promise((resolve) => lines.end(resolve));
    },
  };
}
