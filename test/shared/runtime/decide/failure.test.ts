import { describe, expect, it } from "vitest";
import { KubeError, TerminalError } from "../../../../shared/function/errors.ts";
import { failureOf, redactOutcome } from "../../../../shared/runtime/decide/failure.ts";

const CANARY = "c4n4ry-s3cr3t-v4lue";
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${CANARY}\n-----END RSA PRIVATE KEY-----`;
const KUBECONFIG = `apiVersion: v1\nkind: Config\nusers:\n- name: a\n  user:\n    token: ${CANARY}\n`;

describe("a failure", () => {
  it.each([
    [
      "an Authorization header",
      `401 for Authorization: Basic ${btoa(CANARY)}`,
      "401 for Authorization: Basic",
    ],
    ["a URL with a password", `GET https://admin:${CANARY}@a.dev/ failed`, "@a.dev/ failed"],
    ["a kubeconfig", `cannot use ${KUBECONFIG}`, "cannot use hmac-sha256:*"],
    ["nothing but a kubeconfig", KUBECONFIG, "the message holds nothing but a secret"],
    ["a PEM block", `bad key ${PEM} in p1`, "bad key hmac-sha256:* in p1"],
    ["a secret behind 60,000 characters", `${"word ".repeat(12_000)}password=${CANARY}`, "word word"],
    ["a secret that is cut", `${"word ".repeat(13_104)}a https://a:${CANARY}@b`, "word word"],
  ])("has a message without the secret when it quotes %s", (_, message, reported) => {
    for (const error of [
      new Error(message),
      new TerminalError("Bad", message),
      new KubeError({ class: "Transient", status: 500, reason: "NoAnswer", message }),
      message,
    ]) {
      const failure = failureOf(error);
      expect(failure.message).toContain(reported);
      expect(failure.message.length).toBeLessThanOrEqual(4_096);
      expect(JSON.stringify(failure)).not.toContain(CANARY);
      expect(JSON.stringify(failure)).not.toContain(btoa(CANARY));
    }
  });

  it("keeps class and reason, the reason without secrets", () => {
    const conflict = new KubeError({ class: "Conflict", status: 409, reason: "Conflict", message: "m" });
    expect(failureOf(conflict)).toEqual({ class: "Conflict", reason: "Conflict", message: "m" });
    expect(failureOf(new TypeError("m"))).toEqual({ class: "Transient", reason: "TypeError", message: "m" });
    expect(failureOf(new TerminalError(`token=${CANARY}`, "m")).reason).toBe("token=hmac-sha256:*");
  });

  it("of an outcome, and what a run waits for, are redacted the same way", () => {
    const failure = { class: "Transient", reason: "R", message: `password: ${CANARY}` } as const;
    const failed = redactOutcome({ type: "error", failure, terminal: false, requested: false });
    expect(failed).toMatchObject({ failure: { message: "password: hmac-sha256:*" } });
    const waiting = {
      type: "ok",
      requested: false,
      waitingFor: `https://a:${CANARY}@b`,
      fences: [],
    } as const;
    expect(redactOutcome(waiting)).toEqual({ ...waiting, waitingFor: "https://hmac-sha256:*@b" });
    const again = { type: "retry", afterMs: 1, fences: [] } as const;
    expect(redactOutcome(again)).toBe(again);
  });
});
