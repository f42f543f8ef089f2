/** Architectures of the image, by the names that Debian and the OCI image specification share. */
export const ARCHITECTURES = ["amd64", "arm64"] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** Returns npm's package with the Node.js binary for an architecture. */
export function npmNameOf(architecture: Architecture): string {
  return `node-linux-${architecture === "amd64" ? "x64" : architecture}`;
}
