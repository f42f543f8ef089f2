import { describe, expect, it } from "vitest";
import type { SecretSummary } from "../../../../shared/function/secret-summary.ts";
import { authorityProblem } from "../../../../shared/rules/credentials/authority.ts";
import type { Overrides } from "../../../support/builders.ts";
import { authoritySummary } from "../../../support/secret-summaries.ts";
import { NOW } from "../../../support/world.ts";

const SECRET = "Secret default/c1-ca: ";

describe("an authority", () => {
  it.each<readonly [string, Overrides<SecretSummary>, string | undefined]>([
    ["that can sign", {}, undefined],
    [
      "without certificate and key",
      { pair: undefined },
      `${SECRET}key tls.crt holds no certificate; write that of the authority in PEM`,
    ],
    [
      "without key",
      { pair: { privateKey: "missing" } },
      `${SECRET}key tls.key is missing; write the private key of the authority`,
    ],
    [
      "that may not sign others",
      { pair: { certificate: { isAuthority: false } } },
      `${SECRET}the certificate in tls.crt may not sign others; write that of a certificate authority`,
    ],
    [
      "that has expired in this second",
      { pair: { certificate: { notAfter: NOW.toISOString() } } },
      `${SECRET}the certificate in tls.crt has expired at ${NOW.toISOString()}; write one that is valid, and restart the API server with it`,
    ],
    [
      "that is valid for a second more",
      { pair: { certificate: { notAfter: "2026-01-01T12:00:01Z" } } },
      undefined,
    ],
    [
      "that cannot be read, in the words of the summary",
      {
        pair: {
          certificate: undefined,
          privateKey: "unusable",
          wrong: "key tls.crt holds no certificate that can be read",
        },
      },
      `${SECRET}key tls.crt holds no certificate that can be read`,
    ],
  ])("%s", (_, overrides, problem) => {
    expect(authorityProblem(authoritySummary(overrides), NOW)).toBe(problem);
  });
});
