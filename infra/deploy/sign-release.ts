import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { messageOf } from "../../shared/function/errors.ts";
import { sha256 } from "./sha256.ts";

export interface SignOptions {
  readonly version: string;
  /** Registry and path of the image, without tag. */
  readonly image: string;
  /** `sha256:…` of the image; absent: the provenance does not name it. */
  readonly digest?: string | undefined;
  /** Commit of the sources; absent: they differ from each commit. */
  readonly commit?: string | undefined;
  /** ECDSA with the curve P-256: `signingKey`. */
  readonly key: KeyObject;
}

/** Configurations of clusterctl with paths of this machine. */
const LOCAL = /^clusterctl[^/]*\.yaml$/;

/** Content by path. */
export type Files = ReadonlyMap<string, string | Uint8Array>;

/**
 * Returns what a publisher adds to the files of a release: `SHA256SUMS`, its signature (base64, ECDSA over SHA-256, as
 * openssl and cosign check it), and the provenance, which the sums cover: a statement of in-toto with SLSA's predicate,
 * version 1. Source: S-63
 */
export function signRelease(files: Files, options: SignOptions): ReadonlyMap<string, string> {
  const place = `signed/${options.version}`;
  const released = [...files].filter(([path]) => !LOCAL.test(path));
  const provenance = `${JSON.stringify(provenanceOf(released, options), undefined, 2)}\n`;
  const sums = [...released, [`${place}/provenance.json`, provenance] as const]
    .map(([path, content]) => `${sha256(content)}  ${path}\n`)
    .join("");
  const signature = `${sign("sha256", Buffer.from(sums), options.key).toString("base64")}\n`;
  return new Map([
    [`${place}/provenance.json`, provenance],
    [`${place}/SHA256SUMS`, sums],
    [`${place}/SHA256SUMS.sig`, signature],
  ]);
}

function provenanceOf(
  files: readonly (readonly [string, string | Uint8Array])[],
  { version, image, digest, commit }: SignOptions,
): object {
  const ofFiles = files.map(([name, content]) => ({ name, digest: { sha256: sha256(content) } }));
  const ofImage =
    digest === undefined ? [] : [{ name: image, digest: { sha256: digest.replace("sha256:", "") } }];
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [...ofFiles, ...ofImage],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "https://capstan.dev/release/v1",
        externalParameters: { version, image },
        resolvedDependencies:
          commit === undefined ? [] : [{ name: "capstan", digest: { gitCommit: commit } }],
      },
      runDetails: { builder: { id: "https://capstan.dev/publisher" } },
    },
  };
}

/** Returns the private key in a PEM. Throws when it cannot sign, without its content. */
export function signingKey(pem: string): KeyObject {
  const advice = "make one by openssl ecparam -name prime256v1 -genkey -noout -out FILE";
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (error) {
    throw new Error(
      `the key is not a private key in PEM without a password (${messageOf(error)}); ${advice}`,
    );
  }
  if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return key;
  throw new Error(`the key is ${key.asymmetricKeyType}, not ECDSA with the curve P-256; ${advice}`);
}
