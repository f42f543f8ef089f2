import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** A key and the certificate for it, as PEM text. */
export interface Credentials {
  readonly key: string;
  readonly cert: string;
}

/** A defect of the certificate that a server shows. */
export type CertificateProblem = "expired" | "wrongName" | "unknownAuthority";

const DAY_MS = 24 * 60 * 60_000;
const VALID_DAYS = 365;

const OID = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
} as const;

/** Signs certificates for this process's API servers: EC P-256, new at every start. */
export class CertificateAuthority {
  readonly #name = `capstan-${randomBytes(4).toString("hex")}`;
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #keyId = randomBytes(20);
  /** The certificate that clients must trust, as PEM text. */
  readonly cert: string;

  constructor() {
    const { publicKey } = this.#keys;
    const certSign = Buffer.from([0x03, 0x02, 0x02, 0x04]);
    const extensions = [
      critical(OID.basicConstraints, sequence(BOOLEAN_TRUE)),
      critical(OID.keyUsage, certSign),
      extension(OID.subjectKeyIdentifier, tlv(0x04, this.#keyId)),
    ];
    this.cert = this.#sign({ subject: this.#name, publicKey, notAfterMs: inDays(VALID_DAYS), extensions });
  }

  /** For a server on loopback, in good order unless a problem is named. */
  issue(problem?: CertificateProblem): Credentials {
    if (problem === "unknownAuthority") return new CertificateAuthority().issue();
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const names =
      problem === "wrongName"
        ? [tlv(0x82, Buffer.from("elsewhere.invalid"))]
        : [tlv(0x82, Buffer.from("localhost")), tlv(0x87, Buffer.from([127, 0, 0, 1]))];
    const cert = this.#sign({
      subject: "capstan",
      publicKey,
      notAfterMs: problem === "expired" ? inDays(-1) : inDays(VALID_DAYS),
      extensions: [
        extension(OID.subjectAltName, sequence(...names)),
        extension(OID.authorityKeyIdentifier, sequence(tlv(0x80, this.#keyId))),
      ],
    });
    return { key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(), cert };
  }

  /** RFC 5280, section 4.1. */
  #sign(wanted: {
    readonly subject: string;
    readonly publicKey: KeyObject;
    readonly notAfterMs: number;
    readonly extensions: readonly Buffer[];
  }): string {
    const algorithm = sequence(oid(OID.ecdsaWithSha256));
    const version3 = tlv(0xa0, tlv(0x02, Buffer.from([2])));
    // The first bit is 0, so that the number is positive.
    const serial = tlv(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)]));
    const content = sequence(
      version3,
      serial,
      algorithm,
      name(this.#name),
      sequence(time(inDays(-2)), time(wanted.notAfterMs)),
      name(wanted.subject),
      wanted.publicKey.export({ type: "spki", format: "der" }),
      tlv(0xa3, sequence(...wanted.extensions)),
    );
    const signature = sign("sha256", content, this.#keys.privateKey);
    const der = sequence(content, algorithm, tlv(0x03, Buffer.from([0]), signature));
    const lines = der.toString("base64").replaceAll(/.{64}/g, "$&\n");
    return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
  }
}

function inDays(days: number): number {
  return Date.now() + days * DAY_MS;
}

/** Tag, length, value: the form of everything in DER. */
function tlv(tag: number, ...content: readonly Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const length =
    value.length < 0x80
      ? [value.length]
      : value.length < 0x100
        ? [0x81, value.length]
        : [0x82, value.length >> 8, value.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), value]);
}

function sequence(...content: readonly Buffer[]): Buffer {
  return tlv(0x30, ...content);
}

const BOOLEAN_TRUE = tlv(0x01, Buffer.from([0xff]));

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

function name(commonName: string): Buffer {
  return sequence(tlv(0x31, sequence(oid(OID.commonName), tlv(0x0c, Buffer.from(commonName)))));
}

/** UTCTime: `YYMMDDhhmmssZ`. */
function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().slice(2, 19).replaceAll(/[-:T]/g, "");
  return tlv(0x17, Buffer.from(`${text}Z`));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), tlv(0x04, value));
}

/** One that clients must not ignore. */
function critical(id: string, value: Buffer): Buffer {
  return sequence(oid(id), BOOLEAN_TRUE, tlv(0x04, value));
}
