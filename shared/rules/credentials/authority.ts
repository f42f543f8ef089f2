import type { SecretSummary } from "../../function/secret-summary.ts";

/**
 * Returns why an authority cannot sign, for people: Secret, problem, next step; `undefined` when it can. It is never
 * renewed and never replaced, so a person has to.
 */
export function authorityProblem(secret: SecretSummary, now: Date): string | undefined {
  const { pair } = secret;
  const problem = whyUnusable(pair, now);
  const { namespace, name } = secret.metadata;
  return problem === undefined ? undefined : `Secret ${namespace}/${name}: ${problem}`;
}

function whyUnusable(pair: SecretSummary["pair"], now: Date): string | undefined {
  const { certificate, privateKey, wrong } = pair ?? { privateKey: "missing" };
  if (wrong !== undefined) return wrong;
  if (certificate === undefined)
    return "key tls.crt holds no certificate; write that of the authority in PEM";
  if (privateKey === "missing") return "key tls.key is missing; write the private key of the authority";
  if (!certificate.isAuthority) {
    return "the certificate in tls.crt may not sign others; write that of a certificate authority";
  }
  return Date.parse(certificate.notAfter) > now.getTime()
    ? undefined
    : `the certificate in tls.crt has expired at ${certificate.notAfter}; write one that is valid, and restart the API server with it`;
}
