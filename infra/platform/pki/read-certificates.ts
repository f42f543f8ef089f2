import { readSmallFile } from "../read-small-file.ts";
import type { CertificateFacts } from "./pki.ts";
import { x509 } from "./x509.ts";

/** Ten certificates with RSA keys of 4,096 bits have 20 KiB. */
export const MAX_PEM_BYTES = 64 * 1024;

/** A file of certificates in PEM. */
interface Certificates {
  readonly text: string;
  /** The certificates in their order, at most 10. */
  readonly facts: readonly [CertificateFacts, ...CertificateFacts[]];
}

/** Throws with the name of the file and its problem, never with its content. */
export function readCertificates(file: string): Certificates {
  const text = readSmallFile(file, MAX_PEM_BYTES);
  try {
    return { text, facts: x509.read(text) };
  } catch {
    throw new Error(`${file}: it holds no certificate that can be read; write it in PEM`);
  }
}
