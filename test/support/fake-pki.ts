import type { CertificateFacts, CertificateRequest, Pki } from "../../infra/platform/pki/pki.ts";

/** Content of a fake certificate. */
interface Claims extends CertificateFacts {
  readonly subject: CertificateRequest["subject"];
  /** Fingerprint of the authority that signed it; its own when it signed itself. */
  readonly signedBy: string;
}

/**
 * Keys and certificates that are JSON within PEM marks: made at once, and the same in every run of a seed. `newId` names
 * each pair of keys; default: they are numbered.
 */
export function createFakePki(newId: () => string = numbered()): Pki {
  return {
    newKeys: async () => {
      const id = newId();
      return { publicKey: pem("PUBLIC KEY", { id }), privateKey: pem("PRIVATE KEY", { id }) };
    },
    async sign({ subject, publicKey, notBefore, notAfter, use, signer }) {
      const fingerprint = `fingerprint of ${idIn(publicKey)}`;
      const signedBy = "cert" in signer ? readFakeCertificate(signer.cert).fingerprint : fingerprint;
      const facts = { subject, publicKey, notBefore, notAfter, fingerprint, signedBy };
      return pem("CERTIFICATE", { ...facts, isAuthority: use === "authority" });
    },
    read: (text) => [readFakeCertificate(text)],
    fits: (publicKey, privateKey) => idIn(publicKey) === idIn(privateKey),
  };
}

/** Throws for anything but a certificate that a fake has signed. */
export function readFakeCertificate(text: string): Claims {
  const claims = contentOf(text) as Claims;
  return { ...claims, notBefore: new Date(claims.notBefore), notAfter: new Date(claims.notAfter) };
}

function numbered(): () => string {
  let last = 0;
  return () => {
    last += 1;
    return `key-${last}`;
  };
}

function idIn(key: string): unknown {
  return Object(contentOf(key)).id;
}

function pem(label: string, content: object): string {
  const text = Buffer.from(JSON.stringify(content)).toString("base64");
  return `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----\n`;
}

function contentOf(text: string): unknown {
  const [, content = ""] = /^-----BEGIN [A-Z ]+-----\n(.*)\n-----END/.exec(text) ?? [];
  return JSON.parse(Buffer.from(content, "base64").toString("utf8"));
}
