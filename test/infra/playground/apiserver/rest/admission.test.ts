import { describe, expect, it } from "vitest";
import { startTestServer, WIDGETS_PATH, widget } from "../api-client.ts";

const BODY =
  '{"apiVersion":"test.capstan.dev/v1","kind":"Widget","metadata":{"name":"a","bogus":1},' +
  '"spec":{"size":1,"size":2,"bogus":1,"nested":{"zz":1}}}';

describe("field validation", () => {
  it("warns of unknown and duplicate fields by default", async () => {
    await using api = await startTestServer();
    const { code, body, headers } = await api.call("POST", WIDGETS_PATH, { body: BODY });
    expect([code, body.spec]).toEqual([201, { mode: "Auto", nested: {}, size: 2 }]);
    for (const text of [
      'duplicate field \\"spec.size\\"',
      'unknown field \\"metadata.bogus\\"',
      'unknown field \\"spec.bogus\\"',
      'unknown field \\"spec.nested.zz\\"',
    ]) {
      expect(headers["warning"]).toContain(`299 - "${text}"`);
    }
  });

  it("refuses all of them when it is strict, and says nothing when it is off", async () => {
    await using api = await startTestServer();
    const strict = await api.call("POST", `${WIDGETS_PATH}?fieldValidation=Strict`, { body: BODY });
    expect([strict.code, strict.body.reason]).toEqual([400, "BadRequest"]);
    expect(strict.body.message).toMatch(
      /^Widget in version "v1" cannot be handled as a Widget: strict decoding error: .*duplicate field "spec.size".*unknown field "spec.bogus"/,
    );
    const silent = await api.call("POST", `${WIDGETS_PATH}?fieldValidation=Ignore`, { body: BODY });
    expect([silent.code, silent.headers["warning"]]).toEqual([201, undefined]);
    const unknown = await api.call("POST", `${WIDGETS_PATH}?fieldValidation=Loud`, { body: BODY });
    expect([unknown.code, unknown.body.details.causes[0].field]).toEqual([422, "fieldValidation"]);
  });

  it("checks a body in the order of a real server", async () => {
    await using api = await startTestServer();
    const code = async (body: unknown) => {
      const reply = await api.call("PUT", `${WIDGETS_PATH}/a`, { body });
      return [reply.code, reply.body.message];
    };
    const other = { ...widget("b"), apiVersion: "test.capstan.dev/v9" };
    expect(await code("{")).toEqual([400, expect.stringContaining("json parse error")]);
    expect(await code(other)).toEqual([
      400,
      expect.stringContaining("does not match the expected API version"),
    ]);
    expect(await code(widget("b", { size: "x" }))).toEqual([
      400,
      "the name of the object (b) does not match the name on the URL (a)",
    ]);
    expect(await code(widget("a", {}, { namespace: "other" }))).toEqual([
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ]);
  });
});
