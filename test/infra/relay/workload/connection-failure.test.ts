import { describe, expect, it } from "vitest";
import {
  errorOf,
  noAnswer,
  type RequestSubject,
  undecodable,
} from "../../../../infra/platform/kube/errors.ts";
import {
  connectionFailure,
  refusesCredentials,
} from "../../../../infra/relay/workload/connection-failure.ts";
import { Node } from "../../../../shared/api/core.ts";
import type { Kind } from "../../../../shared/api/kinds.ts";
import { type KubeError, TerminalError } from "../../../../shared/function/errors.ts";

const C1 = { namespace: "default", name: "c1" };
const HOST = "10.0.0.1:6443";
const WATCH: RequestSubject = { kind: Node as Kind, verb: "watch" };
const PROBE: RequestSubject = { kind: Node as Kind, verb: "probe" };
const SECRET = "kubeconfig Secret default/c1-kubeconfig, key value";

function coded(code: string, message = "something of this run"): Error {
  return Object.assign(new Error(message), { code });
}

function answered(status: number, message: string): KubeError {
  const text = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code: status, message });
  return errorOf({ status, text }, WATCH);
}

function causeOf(error: unknown): string {
  const text = connectionFailure(C1, HOST, error);
  expect(text).toMatch(/^workload cluster default\/c1 is not connected: /);
  expect(text).toContain(SECRET);
  return text.replace(/^workload cluster default\/c1 is not connected: /, "").replace(` in ${SECRET}`, "");
}

describe("refusesCredentials", () => {
  it("finds failures that another kubeconfig may end, and no others", () => {
    const silent = (code: string) => noAnswer(coded(code), WATCH, "no answer");
    const refused = ["CERT_HAS_EXPIRED", "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA", "EPROTO"].map(silent);
    expect([answered(401, "no"), ...refused].map(refusesCredentials)).toEqual([true, true, true, true]);
    const others = [answered(403, "no"), silent("ECONNREFUSED"), new Error("odd"), undefined];
    expect(others.map(refusesCredentials)).toEqual([false, false, false, false]);
  });
});

describe("connectionFailure", () => {
  it.each([
    ["ECONNREFUSED", `${HOST} refuses the connection; check the server`],
    ["ENOTFOUND", `${HOST} is not found in DNS; check the server`],
    ["EAI_AGAIN", `${HOST} cannot be looked up: DNS does not answer; check the server`],
    ["ETIMEDOUT", `${HOST} does not answer; check the server`],
    ["EHOSTUNREACH", `${HOST} cannot be reached: no route; check the server`],
    ["ECONNRESET", `${HOST} closes the connection without an answer; check the server`],
    ["EPROTO", `${HOST} refuses TLS, or the client certificate; check server and user`],
    ["ERR_SSL_WRONG_VERSION_NUMBER", `${HOST} refuses TLS, or the client certificate; check server and user`],
    ["HPE_INVALID_CONSTANT", `${HOST} does not speak HTTP; check the server`],
    ["ERR_OSSL_PEM_BAD_BASE64", "a certificate or key is malformed; write PEM, base64-encoded,"],
    ["CERT_HAS_EXPIRED", `the certificate of ${HOST} has expired; renew it, or check the server`],
    [
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      `the certificate of ${HOST} is not signed by the expected CA; write the CA of this server into certificate-authority-data`,
    ],
    [
      "ERR_TLS_CERT_ALTNAME_INVALID",
      `the certificate of ${HOST} is for another name; write the name that it is for into server or tls-server-name`,
    ],
    ["ESOMETHING", `${HOST} cannot be reached (ESOMETHING); check the server`],
  ])("says what %s means and what to change", (code, text) => {
    expect(causeOf(noAnswer(coded(code), WATCH, "no answer"))).toBe(text);
  });

  it.each([
    [401, `${HOST} refuses the credentials (401); write valid credentials`],
    [
      403,
      `${HOST} does not allow listing and watching Nodes (403); allow it for the user, or write credentials of another user,`,
    ],
    [404, `${HOST} does not serve Nodes (404); check the server`],
    [500, `${HOST} answers with status 500; check the server`],
    [503, `${HOST} is starting or overloaded (503); wait, or check the server`],
  ])("says what status %i means, in its own words", (status, text) => {
    expect(causeOf(answered(status, "request 8b1f at 12:00:01 by hunter2 failed"))).toBe(text);
  });

  it.each([
    [
      "verbs",
      noAnswer(coded("ECONNREFUSED"), WATCH, "no answer"),
      noAnswer(coded("ECONNREFUSED"), PROBE, "no"),
    ],
    [
      "limits",
      noAnswer(new Error("not within 10000 ms"), WATCH, ""),
      noAnswer(new Error("not within 5000 ms"), PROBE, ""),
    ],
    ["texts of the server", answered(500, "request 1"), answered(500, "request 2")],
    [
      "addresses in memory",
      noAnswer(coded("EPROTO", "write EPROTO 40A7:error"), WATCH, ""),
      noAnswer(coded("EPROTO", "write EPROTO 80C3:error"), WATCH, ""),
    ],
    [
      "ports of this side",
      noAnswer(coded("ECONNRESET", "read ECONNRESET 127.0.0.1:41234"), WATCH, ""),
      noAnswer(coded("ECONNRESET", "read ECONNRESET 127.0.0.1:41236"), WATCH, ""),
    ],
  ])("has one text for one cause, whatever the %s", (_, one, other) => {
    expect(causeOf(one)).toBe(causeOf(other));
  });

  it("keeps the words of a refused address and of reasons that it does not know, on one line and bounded", () => {
    const refused = new Error("api.example.com: server address 169.254.169.254 is link-local");
    expect(causeOf(noAnswer(refused, WATCH, "no answer"))).toContain(refused.message);
    const large = undecodable(WATCH, `a list\nof\u001b[31m ${"x".repeat(5_000)}`, "TooLarge");
    expect(causeOf(large)).toMatch(
      /^10\.0\.0\.1:6443: watch nodes: a list of \[31m x{300,}…; check the server$/,
    );
  });

  it("leaves what is wrong with the Secret as it is said", () => {
    const message = "kubeconfig Secret default/c1-kubeconfig, key value: field exec runs a command";
    expect(connectionFailure(C1, HOST, new TerminalError("InvalidKubeconfig", message))).toBe(message);
  });

  it("says that a server closes the connection when nothing else is known", () => {
    expect(causeOf(noAnswer("", WATCH, "the stream ended within a line"))).toBe(
      `${HOST} closes the connection without an answer; check the server`,
    );
    expect(causeOf(new RangeError("something else"))).toBe(`${HOST}: something else; check the server`);
  });
});
