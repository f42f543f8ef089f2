import { describe, expect, it } from "vitest";
import { leftBehind } from "../../../../shared/runtime/write/left-behind.ts";

const FIRST = { manager: "before-first-apply", operation: "Update", fieldsV1: { "f:status": {} } };
const OURS = { manager: "capstan-f", operation: "Apply", fieldsV1: { "f:status": { "f:phase": {} } } };
const east = { name: "east" };
const west = { name: "west" };
const own = { phase: "Pending", failureDomains: [east, west], selector: "a=b" };
const wanted = { phase: "Running", failureDomains: [east] };

/** Pointers of what is removed after an apply of `body`, by which the object has `status` and these managers. */
function removed(
  status: object,
  managedFields: readonly object[],
  { body = { status: wanted }, before = own }: { readonly body?: object; readonly before?: object } = {},
): readonly string[] {
  const metadata = { name: "w", managedFields };
  const answer = { apiVersion: "v1", kind: "Widget", metadata, status };
  const operations = leftBehind({ own: { status: before }, body: { ...body }, manager: "capstan-f" }, answer);
  expect(operations.every(({ op }) => op === "remove")).toBe(true);
  return operations.map(({ path }) => path);
}

const holding = (manager: string, fields: object) => ({
  manager,
  operation: "Apply",
  fieldsV1: { "f:status": fields },
});

describe("what an apply has left behind", () => {
  it("is nothing where what it gives up has gone", () => {
    expect(removed(wanted, [OURS])).toEqual([]);
    expect(removed(wanted, [OURS, FIRST])).toEqual([]);
  });

  it.each([
    ["the server keeps", [OURS, FIRST]],
    ["no manager owns", [OURS]],
  ])("is removed from the end where %s it", (_, managers) => {
    const status = { failureDomains: [west, east], phase: "Running", selector: "a=b" };
    expect(removed(status, managers)).toEqual(["/status/selector", "/status/failureDomains/0"]);
  });

  it.each([
    ["an element", { "f:failureDomains": { 'k:{"name":"west"}': { ".": {}, "f:name": {} } } }],
    ["the whole list", { "f:failureDomains": {} }],
    ["everything", {}],
  ])("stays where another manager owns it: %s", (_, fields) => {
    const status = { ...wanted, failureDomains: [east, west] };
    expect(removed(status, [OURS, holding("other", fields)])).toEqual([]);
  });

  it("is found in time that grows with the length of a list", () => {
    let reads = 0;
    const counted = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        get name() {
          reads += 1;
          return `n${at}`;
        },
      }));
    const status = { nodeRefs: counted(1_000) };
    const body = { status: { nodeRefs: counted(1_000) } };
    expect(removed(status, [OURS], { body, before: { nodeRefs: counted(999) } })).toEqual([]);
    expect(reads).toBeLessThan(30_000);
  });

  it("is only what the function has written before", () => {
    const status = { ...wanted, failureDomains: [east, { name: "north" }, west], replicas: 3 };
    expect(removed(status, [OURS])).toEqual(["/status/failureDomains/2"]);
  });

  it("goes with the list or map that it leaves empty, and leaves one that has something else", () => {
    const before = {
      failureDomains: [east, west],
      versions: [{ version: "v1" }],
      counts: { "a/b": 1, c: 2 },
    };
    expect(removed(before, [FIRST], { body: {}, before })).toEqual(["/status"]);
    expect(removed({ ...before, replicas: 1 }, [FIRST], { body: { status: {} }, before })).toEqual([
      "/status/counts",
      "/status/versions",
      "/status/failureDomains",
    ]);
    const more = { failureDomains: [east, west, { name: "north" }], counts: { "a/b": 1, c: 2, d: 3 } };
    expect(removed(more, [FIRST], { body: {}, before })).toEqual([
      "/status/counts/c",
      "/status/counts/a~1b",
      "/status/failureDomains/1",
      "/status/failureDomains/0",
    ]);
  });

  it("goes where the function owns nothing but the empty place of it", () => {
    expect(removed(own, [FIRST, holding("capstan-f", {})], { body: { status: {} } })).toHaveLength(3);
  });

  it("may be a member of an element that stays", () => {
    const ready = (rest: object) => ({ conditions: [{ type: "Ready", ...rest }] });
    const before = ready({ status: "True", message: "old" });
    const found = ready({ status: "False", message: "old" });
    expect(removed(found, [FIRST], { body: { status: ready({ status: "False" }) }, before })).toEqual([
      "/status/conditions/0/message",
    ]);
  });
});
