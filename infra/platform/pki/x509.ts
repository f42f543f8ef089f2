import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from "node:crypto";
import { promisify } from "node:util";
import type { X509CertificateCreateWithKeyParams } from "@peculiar/x509";
import type { CertificateFacts, CertificateRequest, Keys, Pki } from "./pki.ts";

const makeKeyPair = promisify(generateKeyPair);
const BEGIN = "-----BEGIN CERTIFICATE-----";
const END = "-----END CERTIFICATE-----";
/** A chain has two or three. */
const MAX_CERTIFICATES = 10;
/** Larger keys sign too slowly. */
const MAX_RSA_BITS = 8_192;

/** The library takes 100 ms and extends the global Reflect: only who signs loads it. */
const library = () => import("@peculiar/x509");

export const x509: Pki = Object.freeze({ newKeys, sign, read, fits });

async function newKeys(): Promise<Keys> {
  const keys = await makeKeyPair("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return keys;
}

/** Where the types of a browser are loaded, they name another type than those of Node. */
type SigningKey = X509CertificateCreateWithKeyParams["signingKey"];

async function sign({ subject, publicKey, signer, ...request }: CertificateRequest): Promise<string> {
  const { X509CertificateGenerator, X509Certificate: Parsed, Name } = await library();
  const { commonName, organization } = subject;
  const name = new Name([
    ...(organization === undefined ? [] : [{ O: [organization] }]),
    { CN: [commonName] },
  ]);
  const authority = "cert" in signer ? new Parsed(firstOf(signer.cert)) : undefined;
  const key = privateKeyOf(signer.key);
  const spki = createPublicKey(publicKey).export({ type: "spki", format: "der" });
  const algorithm = algorithmOf(key);
  const certificate = await X509CertificateGenerator.create({
    // Positive, as it must be, and never 0.
    serialNumber: `4${randomBytes(16).toString("hex").slice(1)}`,
    subject: name,
    issuer: authority?.subjectName ?? name,
    notBefore: request.notBefore,
    notAfter: request.notAfter,
    publicKey: spki,
    signingKey: key.toCryptoKey(algorithm, false, ["sign"]) as SigningKey,
    signingAlgorithm: algorithm,
    extensions: await extensionsOf(request.use, spki, authority),
  });
  return `${certificate.toString("pem").trim()}\n`;
}

type Library = Awaited<ReturnType<typeof library>>;
type Parsed = InstanceType<Library["X509Certificate"]>;

async function extensionsOf(
  use: CertificateRequest["use"],
  spki: Buffer<ArrayBuffer>,
  authority: Parsed | undefined,
) {
  const x509 = await library();
  const { keyCertSign, cRLSign, digitalSignature } = x509.KeyUsageFlags;
  const byAuthority = authority === undefined ? [] : [await keyIdentifierOf(authority)];
  if (use === "authority") {
    return [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(keyCertSign | cRLSign | digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(new x509.PublicKey(spki)),
    ];
  }
  const purpose = use === "client" ? x509.ExtendedKeyUsage.clientAuth : x509.ExtendedKeyUsage.serverAuth;
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([purpose]),
    ...byAuthority,
    ...(use === "client" ? [] : [alternativeNames(x509, use)]),
  ];
}

/** Returns the identifier as the authority names its own key; a digest of the key where it does not. */
async function keyIdentifierOf(authority: Parsed) {
  const { AuthorityKeyIdentifierExtension, SubjectKeyIdentifierExtension } = await library();
  const own = authority.getExtension(SubjectKeyIdentifierExtension);
  return own === null
    ? AuthorityKeyIdentifierExtension.create(authority.publicKey)
    : new AuthorityKeyIdentifierExtension(own.keyId);
}

function alternativeNames(
  { SubjectAlternativeNameExtension }: Library,
  { dns, ips }: Exclude<CertificateRequest["use"], string>,
) {
  return new SubjectAlternativeNameExtension([
    ...dns.map((value) => ({ type: "dns", value }) as const),
    ...ips.map((value) => ({ type: "ip", value }) as const),
  ]);
}

/** Returns how a key signs. Throws for keys that are neither RSA, with at most 8,192 bits, nor ECDSA. */
function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject) {
  const { namedCurve, modulusLength = 0 } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === "rsa" && modulusLength <= MAX_RSA_BITS) {
    return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;
  }
  switch (namedCurve) {
    case "prime256v1":
      return { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
    case "secp384r1":
      return { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" } as const;
    case "secp521r1":
      return { name: "ECDSA", namedCurve: "P-521", hash: "SHA-512" } as const;
    default:
      throw new Error(
        `private key unusable; write an RSA key of at most ${MAX_RSA_BITS} bits or an ECDSA key`,
      );
  }
}

function read(text: string): readonly [CertificateFacts, ...CertificateFacts[]] {
  const [first, ...more] = blocksIn(text, MAX_CERTIFICATES).map(factsOf);
  if (first === undefined) throw new Error("certificate missing; write one in PEM");
  return [first, ...more];
}

function firstOf(text: string): string {
  const [block] = blocksIn(text, 1);
  if (block === undefined) throw new Error("certificate missing; write one in PEM");
  return block;
}

/** Finds the blocks in one pass over the text. */
function blocksIn(text: string, most: number): readonly string[] {
  const blocks: string[] = [];
  for (let from = 0; blocks.length < most; ) {
    const start = text.indexOf(BEGIN, from);
    const end = start < 0 ? -1 : text.indexOf(END, start);
    if (end < 0) break;
    from = end + END.length;
    blocks.push(text.slice(start, from));
  }
  return blocks;
}

function factsOf(block: string): CertificateFacts {
  const certificate = new X509Certificate(block);
  return {
    notBefore: new Date(certificate.validFrom),
    notAfter: new Date(certificate.validTo),
    fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    isAuthority: certificate.ca,
    publicKey: certificate.publicKey.export({ type: "spki", format: "pem" }).toString(),
  };
}

function fits(publicKey: string, privateKey: string): boolean {
  const key = privateKeyOf(privateKey);
  // Throws for keys that cannot sign here.
  algorithmOf(key);
  return createPublicKey(publicKey).equals(createPublicKey(key));
}

const PRIVATE_KEY = /^-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/m;

/** Encrypted keys are refused before anything is derived from a passphrase. */
function privateKeyOf(text: string): KeyObject {
  const [label] = PRIVATE_KEY.exec(text) ?? [];
  if (label === undefined) throw new Error("private key missing; write an unencrypted one in PEM");
  return createPrivateKey(text.slice(text.indexOf(label)));
}
