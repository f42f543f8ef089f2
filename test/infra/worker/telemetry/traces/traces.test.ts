import { once } from "node:events";
import { readFile, stat, truncate } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { fileDestination, httpDestination } from "../../../../../infra/worker/telemetry/traces/traces.ts";
import { testFolder } from "../../../../support/test-folder.ts";

describe("a file of spans", () => {
  it("gets a line for each request, is private, and does not grow beyond 256 MiB", async () => {
    const dir = testFolder("spans");
    const file = join(dir, "spans.jsonl");
    const destination = fileDestination(file);
    expect([await destination.send("{}"), await destination.send("[]")]).toEqual(["sent", "sent"]);
    expect(await readFile(file, "utf8")).toBe("{}\n[]\n");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await truncate(file, 256 * 1024 * 1024);
    expect(await destination.send("{}")).toBe("refused");
  });
});

async function startCollector(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const seen: {
    readonly url: string;
    readonly type: string;
    readonly token: string;
    readonly body: string;
  }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { "content-type": type = "", "x-token": token = "" } = request.headers;
      seen.push({ url: request.url ?? "", type, token: String(token), body });
      answer(request, response);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    url: new URL(`http://127.0.0.1:${port}/base/`),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("a collector", () => {
  it("gets OTLP over HTTP with the headers of the user", async () => {
    await using collector = await startCollector((_, response) => response.end("{}"));
    using destination = httpDestination({ server: collector.url }, { "X-Token": "t" });
    expect(await destination.send('{"resourceSpans":[]}')).toBe("sent");
    expect(collector.seen).toEqual([
      { url: "/base/v1/traces", type: "application/json", token: "t", body: '{"resourceSpans":[]}' },
    ]);
  });

  it.each([
    [429, "later"],
    [503, "later"],
    [400, "refused"],
    [302, "refused"],
    [401, "refused"],
  ])("that answers %d: spans are %s", async (status, delivered) => {
    await using collector = await startCollector((_, response) =>
      response.writeHead(status, { location: "http://127.0.0.1:1/" }).end(),
    );
    using destination = httpDestination({ server: collector.url }, {});
    expect(await destination.send("{}")).toBe(delivered);
  });

  it("whose answer does not end is not read to its end", async () => {
    await using collector = await startCollector((_, response) => {
      const more = (): void => void response.write("x".repeat(65_536), () => setImmediate(more));
      more();
    });
    using destination = httpDestination({ server: collector.url }, {});
    await expect(destination.send("{}")).rejects.toThrow(/larger|bytes/);
  });
});
