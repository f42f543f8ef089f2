import type { ServerAccess } from "../../../infra/platform/kube/server-access.ts";
import type { Exchange, TlsIdentity } from "../../../infra/playground/apiserver/entry.ts";
import { readFakeCertificate } from "../../support/fake-pki.ts";

/** Carry what a client shows and trusts in a handshake; the values are those of its kubeconfig. */
export const CERTIFICATE_HEADER = "x-client-certificate";
const AUTHORITY = "x-trusted-authority";

/** Headers in place of the client's part of a handshake. */
export function handshakeHeaders({ cert, ca }: ServerAccess): { readonly [name: string]: string } {
  return {
    ...(cert === undefined ? {} : { [CERTIFICATE_HEADER]: btoa(cert) }),
    ...(ca === undefined ? {} : { [AUTHORITY]: btoa(ca) }),
  };
}

interface Shake {
  readonly certificate?: Exchange["certificate"];
  /** Why the connection failed. */
  readonly refusal?: string;
}

/** The part of the server: who the client is, or why it goes away. A server without TLS asks for nothing. */
export function handshake(headers: Exchange["headers"], identity: Partial<TlsIdentity> | undefined): Shake {
  if (identity === undefined) return {};
  const { cert, clientAuthority } = identity;
  if (cert === undefined) return { refusal: "socket disconnected before the TLS connection was established" };
  const authority = textOf(headers[AUTHORITY]);
  if (authority === undefined || !isSignedBy(cert, authority)) {
    return { refusal: "unable to verify the first certificate" };
  }
  const certificate = textOf(headers[CERTIFICATE_HEADER]);
  if (certificate === undefined) return {};
  if (clientAuthority === undefined || !isSignedBy(certificate, clientAuthority)) {
    return { certificate: "untrusted" };
  }
  const { subject, notAfter } = readFakeCertificate(certificate);
  const { commonName, organization } = subject;
  const organizations = organization === undefined ? [] : [organization];
  return { certificate: { commonName, organizations, notAfter } };
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === "string" ? atob(header) : undefined;
}

function isSignedBy(certificate: string, authority: string): boolean {
  try {
    return readFakeCertificate(certificate).signedBy === readFakeCertificate(authority).fingerprint;
  } catch {
    return false;
  }
}
