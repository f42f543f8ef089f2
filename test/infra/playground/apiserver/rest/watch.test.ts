import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { StatusError } from "../../../../../infra/playground/apiserver/errors/status-error.ts";
import { LineOrder } from "../../../../../infra/playground/apiserver/rest/watch.ts";
import { eventually } from "../../../../support/eventually.ts";
import {
  type Body,
  MERGE,
  startTestServer,
  type TestApiServer,
  type WatchEvent,
  WIDGETS_PATH,
  widget,
} from "../api-client.ts";

const WITHIN = { withinMs: 5_000 };

/** Returns the output for a reader: lines, `END`, `RESET`. */
function startReader() {
  const seen: string[] = [];
  const lines = {
    send: (line: string) => void seen.push(line),
    end: () => void seen.push("END"),
    reset: () => void seen.push("RESET"),
  };
  return { seen, order: new LineOrder(lines) };
}

describe("the lines of a watch", () => {
  it("are sent at once while nothing waits", () => {
    const { seen, order } = startReader();
    order.send("1");
    order.send("2");
    expect(seen).toEqual(["1", "2"]);
  });

  it("keep their order when an earlier one is made later", async () => {
    const { seen, order } = startReader();
    const first = Promise.withResolvers<string>();
    const second = Promise.withResolvers<string>();
    order.send(first.promise);
    order.send(second.promise);
    order.send("3");
    second.resolve("2");
    await second.promise;
    expect(seen).toEqual([]);
    first.resolve("1");
    await eventually(() => expect(seen).toEqual(["1", "2", "3"]), WITHIN);
    order.send("4");
    expect(seen.at(-1)).toBe("4");
  });

  it("end with an ERROR event when one cannot be made, and later failures do no harm", async () => {
    const { seen, order } = startReader();
    const first = Promise.withResolvers<string>();
    order.send(first.promise);
    order.send(Promise.reject(new StatusError(500, "", "second")));
    first.reject(new StatusError(500, "", "first"));
    order.send("3");
    await eventually(() => expect(seen.at(-1)).toBe("END"), WITHIN);
    expect(JSON.parse(seen[0] ?? "")).toMatchObject({ type: "ERROR", object: { message: "first" } });
    order.send("4");
    expect(seen).toHaveLength(2);
  });

  it("end at once when the watch ends, whatever waits", async () => {
    const { seen, order } = startReader();
    const line = Promise.withResolvers<string>();
    order.send(line.promise);
    order.end();
    line.resolve("1");
    await line.promise;
    expect(seen).toEqual(["END"]);
  });

  it("are cut off when too many wait", () => {
    const { seen, order } = startReader();
    order.send(Promise.withResolvers<string>().promise);
    for (let line = 0; line < 1_000; line++) order.send("x");
    expect(seen).toEqual(["RESET"]);
    order.send("y");
    expect(seen).toEqual(["RESET"]);
  });
});

const create = (api: TestApiServer, name: string, labels = {}) =>
  api.call("POST", WIDGETS_PATH, { body: widget(name, {}, { labels }) });
const relabel = (api: TestApiServer, name: string, labels: Body) =>
  api.call("PATCH", `${WIDGETS_PATH}/${name}`, { type: MERGE, body: { metadata: { labels } } });
const shown = (event: WatchEvent | undefined) => `${event?.type} ${event?.object.metadata.name}`;
const versionOf = async (api: TestApiServer) =>
  (await api.call("GET", WIDGETS_PATH)).body.metadata.resourceVersion;

describe("watches", () => {
  it("without a version begin with what is there", async () => {
    await using api = await startTestServer();
    await create(api, "a");
    await using watch = await api.watch(`${WIDGETS_PATH}?watch=1`);
    expect(shown(await watch.next())).toBe("ADDED a");
    await create(api, "b");
    expect(shown(await watch.next())).toBe("ADDED b");
  });

  it("from a version miss nothing and repeat nothing", async () => {
    await using api = await startTestServer();
    await create(api, "a");
    const version = await versionOf(api);
    await create(api, "b");
    await relabel(api, "a", { x: "y" });
    await using watch = await api.watch(`${WIDGETS_PATH}?watch=1&resourceVersion=${version}`);
    await api.call("DELETE", `${WIDGETS_PATH}/b`);
    expect((await watch.take(3)).map(shown)).toEqual(["ADDED b", "MODIFIED a", "DELETED b"]);
  });

  it("from a version that is no longer known end with 410 in the stream", async () => {
    await using api = await startTestServer();
    const version = await versionOf(api);
    await create(api, "a");
    api.server.compact();
    await using watch = await api.watch(`${WIDGETS_PATH}?watch=1&resourceVersion=${version}`);
    const events = await watch.take(2);
    expect(events).toHaveLength(1);
    expect([events[0]?.type, events[0]?.object.code, events[0]?.object.reason]).toEqual([
      "ERROR",
      410,
      "Expired",
    ]);
    expect(events[0]?.object.message).toMatch(/^too old resource version: \d+ \(\d+\)$/);
  });

  it("from a version of the future are silent until it is reached", async () => {
    await using api = await startTestServer();
    const version = Number(await versionOf(api)) + 1;
    await using watch = await api.watch(`${WIDGETS_PATH}?watch=1&resourceVersion=${version}`);
    await create(api, "a");
    await create(api, "b");
    expect(shown(await watch.next())).toBe("ADDED b");
  });

  it("refuse a version that is not a number", async () => {
    await using api = await startTestServer();
    const { code, body } = await api.call("GET", `${WIDGETS_PATH}?watch=1&resourceVersion=abc`);
    expect([code, body.message]).toEqual([
      500,
      expect.stringContaining('resourceVersion: Invalid value: "abc"'),
    ]);
  });

  it("end cleanly after their timeout", async () => {
    await using api = await startTestServer();
    await using watch = await api.watch(`${WIDGETS_PATH}?watch=1&timeoutSeconds=1`);
    expect(await watch.next()).toBeUndefined();
  });

  it("send bookmarks when asked", async () => {
    await using api = await startTestServer({ bookmarkIntervalMs: 20 });
    await using watch = await api.watch(`${WIDGETS_PATH}?watch=1&resourceVersion=1&allowWatchBookmarks=true`);
    const bookmark = await watch.next();
    expect(bookmark).toMatchObject({
      type: "BOOKMARK",
      object: { kind: "Widget", apiVersion: "test.capstan.dev/v1" },
    });
    expect(bookmark?.object.metadata.resourceVersion).toBe(await versionOf(api));
  });

  it("mark the end of the initial events", async () => {
    await using api = await startTestServer();
    await create(api, "a");
    const query = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    await using watch = await api.watch(`${WIDGETS_PATH}?${query}`);
    const [added, end] = await watch.take(2);
    expect(shown(added)).toBe("ADDED a");
    expect(end?.object.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
    expect((await api.call("GET", `${WIDGETS_PATH}?watch=1&sendInitialEvents=true`)).code).toBe(422);
  });

  it("turn changes of selected labels into ADDED and DELETED", async () => {
    await using api = await startTestServer();
    await create(api, "a");
    await using watch = await api.watch(`${WIDGETS_PATH}?watch=1&labelSelector=on`);
    await relabel(api, "a", { on: "1" });
    await relabel(api, "a", { more: "1" });
    const left = await relabel(api, "a", { on: null });
    const events = await watch.take(3);
    expect(events.map(shown)).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
    const gone = events[2]?.object.metadata;
    expect([gone.labels.on, gone.resourceVersion]).toEqual(["1", left.body.metadata.resourceVersion]);
  });

  it("show tables with columns in the first event only", async () => {
    await using api = await startTestServer();
    await create(api, "a");
    await create(api, "b");
    await using watch = await api.watch(
      `${WIDGETS_PATH}?watch=1`,
      "application/json;as=Table;v=v1;g=meta.k8s.io",
    );
    const [first, second] = await watch.take(2);
    expect(first?.object.columnDefinitions).toHaveLength(5);
    expect([second?.object.columnDefinitions, second?.object.rows[0].cells[0]]).toEqual([null, "b"]);
  });

  it("of one namespace do not see another", async () => {
    await using api = await startTestServer();
    await api.call("POST", "/api/v1/namespaces", { body: { metadata: { name: "other" } } });
    await using watch = await api.watch(`${WIDGETS_PATH}?watch=1`);
    await api.call("POST", WIDGETS_PATH.replace("default", "other"), { body: widget("x") });
    await create(api, "a");
    expect(shown(await watch.next())).toBe("ADDED a");
  });

  it("replayed from any version give what a list shows", async () => {
    await using api = await startTestServer();
    const start = await versionOf(api);
    let seed = 7;
    const random = (limit: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % limit;
    };
    for (let turn = 0; turn < 150; turn++) {
      const name = `w${random(8)}`;
      const acts = [
        () => create(api, name),
        () => relabel(api, name, { n: `${turn}` }),
        () => api.call("DELETE", `${WIDGETS_PATH}/${name}`),
      ];
      await acts[random(3)]?.();
    }
    const { body: list } = await api.call("GET", WIDGETS_PATH);
    await create(api, "end");
    await using watch = await api.watch(`${WIDGETS_PATH}?watch=1&resourceVersion=${start}`);
    const world = new Map<string, Body>();
    for (
      let event = await watch.next();
      event && event.object.metadata.name !== "end";
      event = await watch.next()
    ) {
      if (event.type === "DELETED") world.delete(event.object.metadata.name);
      else world.set(event.object.metadata.name, event.object);
    }
    const names = [...world.keys()].toSorted((a, b) => (a < b ? -1 : 1));
    expect(names.map((name) => world.get(name))).toEqual(list.items);
  });

  it("take a burst, however large", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const path = "/api/v1/namespaces/default/configmaps";
    await using watch = await api.watch(`${path}?watch=1`);
    for (let index = 0; index < 1_500; index++)
      await api.call("POST", path, { body: { metadata: { name: `c${index}` } } });
    expect(await watch.take(1_500)).toHaveLength(1_500);
    await api.call("DELETE", path);
    expect((await watch.take(1_500)).every((event) => event.type === "DELETED")).toBe(true);
  });

  it("are cut when their client does not read them", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const path = "/api/v1/namespaces/default/configmaps/c";
    await api.call("POST", path.slice(0, -2), { body: { metadata: { name: "c" } } });
    const socket = connect(api.server.port, "127.0.0.1");
    const closed = once(socket, "close");
    const token = api.server.token;
    socket.write(
      `GET ${path.slice(0, -2)}?watch=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    await once(socket, "data");
    socket.pause();
    await using reader = await api.watch(`${path.slice(0, -2)}?watch=1`);
    await reader.next();
    const big = "x".repeat(100_000);
    for (let index = 0; index < 250; index++) {
      await api.call("PATCH", path, { type: MERGE, body: { data: { big, index: `${index}` } } });
    }
    expect(await reader.take(250)).toHaveLength(250);
    socket.on("error", () => undefined);
    socket.resume();
    await closed;
  });

  it("end when the kind goes away", async () => {
    await using api = await startTestServer();
    await using watch = await api.watch(`${WIDGETS_PATH}?watch=1`);
    await api.call(
      "DELETE",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.test.capstan.dev",
    );
    expect(await watch.next()).toBeUndefined();
  });
});
