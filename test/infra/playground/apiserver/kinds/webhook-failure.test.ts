import { describe, expect, it } from "vitest";
import {
  connectionProblem,
  refusalText,
} from "../../../../../infra/playground/apiserver/kinds/webhook-failure.ts";

function problem(code: string, more: object = {}): string {
  return connectionProblem(Object.assign(new Error("as Node says it"), { code, ...more }));
}

describe("a webhook that cannot be reached", () => {
  it("is reported in the words of the real server", () => {
    const refused = { address: "127.0.0.1", port: 1 };
    const text = "dial tcp 127.0.0.1:1: connect: connection refused";
    expect(problem("ECONNREFUSED", refused)).toBe(text);
    const both = [
      new Error("::1"),
      Object.assign(new Error("127.0.0.1"), { code: "ECONNREFUSED", ...refused }),
    ];
    expect(connectionProblem(new AggregateError(both))).toBe(text);
    expect(problem("ENOTFOUND", { hostname: "nowhere.invalid" })).toBe(
      "dial tcp: lookup nowhere.invalid: no such host",
    );
    expect(problem("ECONNRESET")).toBe("EOF");
    expect(problem("DEPTH_ZERO_SELF_SIGNED_CERT")).toBe(
      "tls: failed to verify certificate: x509: certificate signed by unknown authority",
    );
    expect(problem("CERT_HAS_EXPIRED")).toBe("tls: failed to verify certificate: x509: as Node says it");
    expect(problem("EPIPE")).toBe("as Node says it");
  });
});

describe("a webhook that refuses", () => {
  it.each([
    [302, "the server responded with the status code 302 but did not return more information"],
    [404, "the server could not find the requested resource"],
    [403, "boom"],
    [418, "the server responded with the status code 418 but did not return more information"],
    [500, 'an error on the server ("boom") has prevented the request from succeeding'],
    [503, "the server is currently unable to handle the request"],
  ])("with %d is reported in the words of client-go", (code, text) => {
    expect(refusalText(code, "text/plain", " boom\n")).toBe(text);
  });

  it("speaks for itself with a Status, and with nothing but text", () => {
    const status = JSON.stringify({ kind: "Status", message: "no way" });
    expect(refusalText(500, "application/json", status)).toBe("no way");
    expect(refusalText(500, "application/json", "boom")).toBe(
      'an error on the server ("unknown") has prevented the request from succeeding',
    );
  });
});
