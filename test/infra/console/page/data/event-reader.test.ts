import { describe, expect, it } from "vitest";
import { createEventReader } from "../../../../../infra/console/page/data/event-reader.ts";

describe("server-sent events", () => {
  it("are read however the network cuts them", () => {
    const text = ': comment\nevent: x\ndata: {"a":1}\n\ndata:{"b":"é"}\r\n\r\ndata: late';
    for (let size = 1; size <= text.length; size += 1) {
      const found: string[] = [];
      const read = createEventReader((data) => found.push(data));
      for (let at = 0; at < text.length; at += size) read(text.slice(at, at + size));
      expect(found).toEqual(['{"a":1}', '{"b":"é"}']);
    }
  });

  it("are refused when a line does not end", () => {
    const read = createEventReader(() => undefined);
    expect(() => read("x".repeat(8_000_001))).toThrow("too long");
  });
});
