import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { withFirstRequest } from "../../../infra/console/with-first-request.ts";
import { recordingLog } from "../../support/recording-log.ts";

describe("a server that opens its data with the first request", () => {
  it("opens them once, gives 503 and tries again when that failed, and closes them", async () => {
    const { log, lines } = recordingLog();
    const seen: string[] = [];
    const answering = withFirstRequest(async (opened) => {
      seen.push("opens");
      opened.defer(() => void seen.push("closes"));
      if (seen.length === 1) throw new Error("the API server is away");
      return (_, response) => void response.end("data");
    }, log);
    await using server = createServer(answering.listener);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    expect(seen).toEqual([]);
    const ask = async () => {
      const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      return `${answer.status} ${await answer.text()}`;
    };
    expect(await ask()).toBe("503 ");
    expect(lines).toMatchObject([{ fields: { error: "the API server is away" } }]);
    expect(await Promise.all([ask(), ask()])).toEqual(["200 data", "200 data"]);
    expect(seen).toEqual(["opens", "closes", "opens"]);
    await answering[Symbol.asyncDispose]();
    expect(seen.at(-1)).toBe("closes");
  });
});
