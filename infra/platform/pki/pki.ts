/** Keys and certificates of one process as PEM texts. The simulation has its own. */
export interface Pki {
  /** Makes keys of ECDSA P-256 off the event loop. */
  newKeys(): Promise<Keys>;
  /** Throws when the key of `signer` cannot sign. */
  sign(request: CertificateRequest): Promise<string>;
  /** The certificates of a text in their order, at most 10; throws when it holds none, or one that cannot be read. */
  read(pem: string): readonly [CertificateFacts, ...CertificateFacts[]];
  /** Whether a private key belongs to a public one; throws when the private key cannot be read. */
  fits(publicKey: string, privateKey: string): boolean;
}

export interface Keys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** A private key and the certificate for it. */
export interface Credentials {
  readonly key: string;
  readonly cert: string;
}

export interface CertificateRequest {
  readonly subject: { readonly commonName: string; readonly organization?: string };
  readonly publicKey: string;
  /** Whole seconds. */
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** `authority`: signs others, but no further authority. A server answers for names and addresses. */
  readonly use: "authority" | "client" | { readonly dns: readonly string[]; readonly ips: readonly string[] };
  /** A private key alone: the certificate signs itself. */
  readonly signer: Credentials | { readonly key: string };
}

export interface CertificateFacts {
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** SHA-256, in hexadecimal. */
  readonly fingerprint: string;
  readonly isAuthority: boolean;
  readonly publicKey: string;
}
