/** A canonical image reference: registry host and path, then tag, digest or both. */
export interface Image {
  /** `registry.k8s.io/capi`. */
  readonly repository: string;
  readonly name: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

const MAX_NAME = 255;
/** Longer than the longest name with tag and digest. */
const MAX_REFERENCE = 1_000;
const HOST =
  "(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\\[[a-fA-F0-9:]+\\]";
const COMPONENT = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const REFERENCE = new RegExp(
  `^((${HOST})(:[0-9]+)?/((?:${COMPONENT}/)*)(${COMPONENT}))(?::([\\w][\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);
const DIGEST_LENGTHS: { readonly [algorithm: string]: number } = { sha256: 64, sha384: 96, sha512: 128 };

/**
 * Reads an image as clusterctl does; undefined where it refuses it: without registry host, or a short name of Docker
 * Hub. Source: github.com/distribution/reference
 */
export function parseImage(text: string): Image | undefined {
  if (text.length > MAX_REFERENCE) return undefined;
  const [, full = "", host = "", port = "", path = "", name = "", tag, digest] = REFERENCE.exec(text) ?? [];
  if (full === "" || full.length > MAX_NAME || !isHost(host, port)) return undefined;
  // The short name `docker.io/nginx` means `docker.io/library/nginx`.
  if (host === "docker.io" && port === "" && path === "") return undefined;
  if (digest !== undefined && !isDigest(digest)) return undefined;
  return { repository: full.slice(0, -name.length - 1), name, tag, digest };
}

export function formatImage({ repository, name, tag, digest }: Image): string {
  const tagged = tag === undefined ? "" : `:${tag}`;
  return `${repository}/${name}${tagged}${digest === undefined ? "" : `@${digest}`}`;
}

/** Whether the first part is a host; otherwise the first part is a folder of Docker Hub. */
function isHost(host: string, port: string): boolean {
  if (host === "index.docker.io" && port === "") return false;
  return port !== "" || host === "localhost" || /[.:A-Z]/.test(host);
}

function isDigest(digest: string): boolean {
  const at = digest.indexOf(":");
  return digest.length - at - 1 === DIGEST_LENGTHS[digest.slice(0, at)];
}
