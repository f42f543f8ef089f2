import { describe, expect, it } from "vitest";
import { decodeProtobuf } from "../../../../../infra/playground/apiserver/request/protobuf.ts";

/** A length-delimited field. */
function field(number: number, ...content: readonly (string | Buffer)[]): Buffer {
  const bytes = Buffer.concat(content.map((part) => Buffer.from(part as string)));
  return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
}

function envelope(apiVersion: string, kind: string, raw: Buffer): Buffer {
  return Buffer.concat([Buffer.from("k8s\0"), field(1, field(1, apiVersion), field(2, kind)), field(2, raw)]);
}

describe("protobuf bodies", () => {
  it("of Secrets become the object that JSON would give", () => {
    const metadata = field(
      1,
      field(1, "s"),
      field(11, field(1, "app"), field(2, "x")),
      field(11, field(1, "on"), field(2, "")),
      field(8),
    );
    const raw = Buffer.concat([
      metadata,
      field(2, field(1, "a"), field(2, "b")),
      field(3, "Opaque"),
      Buffer.from([5 * 8, 1]),
    ]);
    expect(decodeProtobuf(envelope("v1", "Secret", raw))).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", labels: { app: "x", on: "" } },
      data: { a: "Yg==" },
      type: "Opaque",
      immutable: true,
    });
  });

  it("of kinds without a description are answered 415, broken ones 400", () => {
    expect(() => decodeProtobuf(envelope("v1", "Pod", field(1)))).toThrow(
      expect.objectContaining({ code: 415 }),
    );
    expect(() => decodeProtobuf(Buffer.from("nope"))).toThrow(expect.objectContaining({ code: 400 }));
    const cut = envelope("v1", "Secret", field(1, "s")).subarray(0, -2);
    expect(() => decodeProtobuf(cut)).toThrow(expect.objectContaining({ code: 400 }));
  });
});
