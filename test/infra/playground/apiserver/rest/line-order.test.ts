import { describe, expect, it } from "vitest";
import { StatusError } from "../../../../../infra/playground/apiserver/errors/status-error.ts";
import { LineOrder } from "../../../../../infra/playground/apiserver/rest/line-order.ts";
import { eventually } from "../../../../support/eventually.ts";

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
