import { createConnection } from "node:net";
import { describe, expect, it } from "vitest";
import type { StreamEffect } from "../../../../../infra/playground/apiserver/faults/fault.ts";
import { holds } from "../../../../support/eventually.ts";
import { startTestServer, type TestApiServer, WIDGETS_PATH, widget } from "../api-client.ts";

const create = (api: TestApiServer, name: string) => api.call("POST", WIDGETS_PATH, { body: widget(name) });

/** A watch over two present objects, and one that comes later. */
async function watched(as: StreamEffect["as"], afterEvents: number, ms?: number) {
  const api = await startTestServer();
  for (const name of ["a", "b"]) await create(api, name);
  const effect = { kind: "stream", as, afterEvents, ...(ms === undefined ? {} : { ms }) } as const;
  api.server.faults.add({ times: 1, effect });
  const answer = await fetch(`${api.server.url}${WIDGETS_PATH}?watch=1`, {
    headers: { authorization: `Bearer ${api.server.token}` },
  });
  await create(api, "c");
  return { api, answer };
}

async function textOf(as: StreamEffect["as"], afterEvents: number): Promise<string> {
  const { api, answer } = await watched(as, afterEvents);
  await using _ = api;
  return answer.text();
}

const namesIn = (text: string) => [...text.matchAll(/"name":"(\w)"/g)].map(([, name]) => name);

describe("a faulty watch", () => {
  it("says in the stream that its version is too old", async () => {
    const text = await textOf("expire", 1);
    expect(namesIn(text)).toEqual(["a"]);
    const [, last = ""] = text.trim().split("\n");
    expect(JSON.parse(last)).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
  });

  it("sends an error, half a line, or ends", async () => {
    expect(JSON.parse(await textOf("error", 0))).toMatchObject({ type: "ERROR", object: { code: 500 } });
    expect(await textOf("halfLine", 0)).toBe('{"type":"MODIFIED","object":{"apiVersion":"v1","ki');
    expect(await textOf("end", 0)).toBe("");
    expect(namesIn(await textOf("end", 2))).toEqual(["a", "b"]);
  });

  it("breaks its connection", async () => {
    await expect(textOf("reset", 1)).rejects.toThrow();
  });

  it("sends garbage, unknown types, too little or too much, and continues", async () => {
    const seen: Record<string, readonly (string | undefined)[]> = {};
    for (const as of ["garbage", "unknownType", "drop", "duplicate"] as const) {
      const { api, answer } = await watched(as, 1);
      await using _ = api;
      let text = "";
      for await (const chunk of answer.body ?? []) {
        text += Buffer.from(chunk as Uint8Array).toString("utf8");
        if (text.includes('"name":"c"')) break;
      }
      seen[as] = [...namesIn(text), /<html>|SURPRISE/.exec(text)?.[0]];
    }
    expect(seen).toEqual({
      garbage: ["a", "b", "c", "<html>"],
      unknownType: ["a", "b", "c", "SURPRISE"],
      drop: ["a", "c", undefined],
      duplicate: ["a", "b", "b", "c", undefined],
    });
  });

  it("is late from one event on", async () => {
    const { api, answer } = await watched("late", 1, 200);
    await using _ = api;
    let text = "";
    for await (const chunk of answer.body ?? []) {
      if (text === "") expect(namesIn(Buffer.from(chunk as Uint8Array).toString("utf8"))).toEqual(["a"]);
      text += Buffer.from(chunk as Uint8Array).toString("utf8");
      if (text.includes('"name":"c"')) break;
    }
    expect(namesIn(text)).toEqual(["a", "b", "c"]);
  });

  it("says nothing more and stays open, whatever its timeout", async () => {
    await using api = await startTestServer();
    api.server.faults.add({ times: 1, effect: { kind: "stream", as: "stall" } });
    let bytes = "";
    const socket = createConnection(api.server.port, "127.0.0.1");
    socket.on("data", (chunk) => {
      bytes += chunk.toString("utf8");
    });
    const headers = `Host: localhost\r\nAuthorization: Bearer ${api.server.token}\r\n\r\n`;
    socket.write(`GET ${WIDGETS_PATH}?watch=1&timeoutSeconds=1 HTTP/1.1\r\n${headers}`);
    await create(api, "a");
    await holds(() => !bytes.includes("ADDED") && !socket.closed, { forMs: 1_300 });
    expect(bytes).toMatch(/^HTTP\/1.1 200/);
    socket.destroy();
  });
});
