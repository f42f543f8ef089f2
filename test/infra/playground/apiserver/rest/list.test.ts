import { describe, expect, it } from "vitest";
import {
  type Body,
  CRDS_PATH,
  startTestServer,
  type TestApiServer,
  WIDGETS_PATH,
  widget,
} from "../api-client.ts";
import { WIDGETS } from "../widgets.ts";

const ALL = "/apis/test.capstan.dev/v1/widgets";

async function withWidgets(names: readonly string[]): Promise<TestApiServer> {
  const api = await startTestServer();
  for (const name of names)
    await api.call("POST", WIDGETS_PATH, { body: widget(name, {}, { labels: { name } }) });
  return api;
}

const namesOf = (list: Body): string[] => list.items.map((item: Body) => item.metadata.name);

describe("lists", () => {
  it("are ordered by namespace and name", async () => {
    await using api = await withWidgets(["c", "a", "b"]);
    await api.call("POST", "/api/v1/namespaces", { body: { metadata: { name: "another" } } });
    await api.call("POST", WIDGETS_PATH.replace("default", "another"), { body: widget("z") });
    expect(namesOf((await api.call("GET", ALL)).body)).toEqual(["z", "a", "b", "c"]);
    expect(namesOf((await api.call("GET", WIDGETS_PATH)).body)).toEqual(["a", "b", "c"]);
  });

  it("show one point in time over all pages", async () => {
    await using api = await withWidgets(["a", "b", "c"]);
    const first = await api.call("GET", `${ALL}?limit=2`);
    expect([namesOf(first.body), first.body.metadata.remainingItemCount]).toEqual([["a", "b"], 1]);
    await api.call("DELETE", `${WIDGETS_PATH}/c`);
    await api.call("POST", WIDGETS_PATH, { body: widget("d") });
    const token = encodeURIComponent(first.body.metadata.continue);
    const second = await api.call("GET", `${ALL}?limit=2&continue=${token}`);
    expect(namesOf(second.body)).toEqual(["c"]);
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    expect((await api.call("GET", `${ALL}?continue=${token}&resourceVersion=5`)).code).toBe(400);
  });

  it("continue with a fresh token after the old one expired", async () => {
    await using api = await withWidgets(["a", "b", "c"]);
    const first = await api.call("GET", `${ALL}?limit=1`);
    await api.call("DELETE", `${WIDGETS_PATH}/b`);
    api.server.compact();
    const expired = await api.call(
      "GET",
      `${ALL}?limit=1&continue=${encodeURIComponent(first.body.metadata.continue)}`,
    );
    expect([expired.code, expired.body.reason]).toEqual([410, "Expired"]);
    const next = await api.call(
      "GET",
      `${ALL}?continue=${encodeURIComponent(expired.body.metadata.continue)}`,
    );
    expect(namesOf(next.body)).toEqual(["c"]);
  });

  it("wait for a version of the near future, then say that it is too large", async () => {
    await using api = await withWidgets(["a"]);
    const { body } = await api.call("GET", ALL);
    const next = Number(body.metadata.resourceVersion) + 1;
    const pending = api.call("GET", `${ALL}?resourceVersion=${next}`);
    await api.call("POST", WIDGETS_PATH, { body: widget("b") });
    expect(namesOf((await pending).body)).toEqual(["a", "b"]);
    const never = await api.call("GET", `${ALL}?resourceVersion=${next + 100}`);
    expect([never.code, never.body.details.causes[0].reason, never.body.details.retryAfterSeconds]).toEqual([
      504,
      "ResourceVersionTooLarge",
      1,
    ]);
  });

  it("show an exact version of the past, and answer 410 when it is forgotten", async () => {
    await using api = await withWidgets(["a"]);
    const { body } = await api.call("GET", ALL);
    await api.call("POST", WIDGETS_PATH, { body: widget("b") });
    const query = `resourceVersion=${body.metadata.resourceVersion}&resourceVersionMatch=Exact`;
    expect(namesOf((await api.call("GET", `${ALL}?${query}`)).body)).toEqual(["a"]);
    api.server.compact();
    expect((await api.call("GET", `${ALL}?${query}`)).code).toBe(410);
  });

  it("select by the fields that a kind declares, and by no others", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const crd = structuredClone(WIDGETS) as Body;
    crd.spec.versions[0].selectableFields = [{ jsonPath: ".spec.color" }];
    expect((await api.call("POST", CRDS_PATH, { body: crd })).code).toBe(201);
    for (const [name, color] of [
      ["a", "red"],
      ["b", "blue"],
    ] as const) {
      await api.call("POST", WIDGETS_PATH, { body: widget(name, { color }) });
    }
    const select = (fields: string) =>
      api.call("GET", `${WIDGETS_PATH}?fieldSelector=${encodeURIComponent(fields)}`);
    expect(namesOf((await select("spec.color=blue")).body)).toEqual(["b"]);
    expect(namesOf((await select("spec.color!=blue,metadata.name=a")).body)).toEqual(["a"]);
    const { code, body } = await select("spec.size=1");
    expect([code, body.message]).toEqual([400, "field label not supported: spec.size"]);
  });

  it("continue behind the last match of a selector, where no page has looked yet", async () => {
    await using api = await withWidgets(["a", "b"]);
    const first = await api.call("GET", `${WIDGETS_PATH}?limit=1&labelSelector=name=a`);
    expect([namesOf(first.body), first.body.metadata.remainingItemCount]).toEqual([["a"], undefined]);
    const token = encodeURIComponent(first.body.metadata.continue);
    const second = await api.call("GET", `${WIDGETS_PATH}?limit=1&labelSelector=name=a&continue=${token}`);
    expect([namesOf(second.body), second.body.metadata.continue]).toEqual([[], undefined]);
  });
});
