import { describe, expect, it } from "vitest";
import { warningHeaders } from "../../../../../infra/playground/apiserver/http/http.ts";

describe("warning headers", () => {
  it("are quoted, in printable ASCII, and sent once", () => {
    expect(warningHeaders(['a "b" \\ ü\n', "", 'a "b" \\ ü\n'])).toEqual(['299 - "a \\"b\\" \\\\ ??"']);
  });

  it("are whole as long as they are short together", () => {
    const texts = ["a", "b"].map((letter) => letter.repeat(2_048));
    expect(warningHeaders(texts)).toEqual(texts.map((text) => `299 - "${text}"`));
  });

  it("are cut to 256 characters, and the rest is left out, when they are long together", () => {
    const texts = Array.from({ length: 10_000 }, (_, n) => String(n).padStart(300, "-"));
    expect(warningHeaders(texts)).toEqual(texts.slice(0, 16).map((text) => `299 - "${text.slice(0, 256)}"`));
  });

  it("are as many as the real server sends of 200 short ones", () => {
    const text = (n: number) =>
      `metadata.finalizers: "f${n}": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`;
    expect(warningHeaders(Array.from({ length: 200 }, (_, n) => text(n)))).toHaveLength(33);
  });
});
