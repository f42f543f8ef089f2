import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { apiVersionOf } from "../../shared/api/kinds.ts";
import { kindOfLoad, LIST_VERSION, type Load, loadOfPath, textOfObject } from "./relay-load.ts";

/*
 * An API server in a process of its own that lists and sends what the base path of a request says (relay-load.ts).
 * The parent says `break`, and every watch is reset; it is answered with how long it took until as many were open.
 */

/** Events written at once. */
const BATCH = 64;
const open = new Set<ServerResponse>();
let lists = 0;

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://bench");
  const load = loadOfPath(decodeURIComponent(url.pathname.split("/")[1] ?? ""));
  if (url.searchParams.has("sendInitialEvents")) {
    response.writeHead(422, { "Content-Type": "application/json" });
    response.end(
      JSON.stringify({ kind: "Status", code: 422, reason: "Invalid", message: "no watch-list here" }),
    );
  } else if (url.searchParams.get("watch") === "true") {
    open.add(response);
    response.once("close", () => open.delete(response));
    response.writeHead(200, { "Content-Type": "application/json" }).flushHeaders();
    void send(load, response, Number(url.searchParams.get("resourceVersion")));
  } else {
    lists += 1;
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(list(load, url.searchParams));
  }
});

function list(load: Load, query: URLSearchParams): string {
  const from = Number(query.get("continue") ?? 0);
  const to = Math.min(load.objects, from + Number(query.get("limit") ?? load.objects));
  const texts = Array.from({ length: to - from }, (_none, at) =>
    textOfObject(load, from + at, LIST_VERSION - load.objects + from + at, 0),
  );
  const kind = kindOfLoad(load);
  const more = to < load.objects ? `,"continue":"${to}"` : "";
  const head = `"apiVersion":"${apiVersionOf(kind)}","kind":"${kind.kind}List"`;
  return `{${head},"metadata":{"resourceVersion":"${LIST_VERSION}"${more}},"items":[${texts.join(",")}]}`;
}

/** A watch that resumes gets what is missing. */
async function send(load: Load, response: ServerResponse, from: number): Promise<void> {
  const closed = once(response, "close");
  const startedAt = performance.now();
  for (let sent = from - LIST_VERSION; sent < load.events && open.has(response); ) {
    const count = load.perSecond > 0 ? 1 : Math.min(BATCH, load.events - sent);
    const lines = Array.from({ length: count }, (_none, index) => {
      const beat = sent + index + 1;
      const object = textOfObject(load, beat % load.objects, LIST_VERSION + beat, beat);
      return `{"type":"MODIFIED","object":${object}}\n`;
    });
    sent += count;
    if (!response.write(lines.join(""))) await Promise.race([once(response, "drain"), closed]);
    if (load.perSecond === 0) continue;
    const dueAt = startedAt + (sent * 1_000) / load.perSecond;
    await setTimeout(Math.max(1, dueAt - performance.now()));
  }
}

async function breakAll(): Promise<void> {
  const count = open.size;
  const listsBefore = lists;
  const startedAt = performance.now();
  for (const response of open) response.socket?.resetAndDestroy();
  open.clear();
  while (open.size < count && performance.now() < startedAt + 60_000) await setTimeout(5);
  process.send?.({
    watches: count,
    again: open.size,
    ms: Math.round(performance.now() - startedAt),
    lists: lists - listsBefore,
  });
}

process.on("message", () => void breakAll());
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
