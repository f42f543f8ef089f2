import { spawnSync } from "node:child_process";

/** Why buildah cannot build here; undefined when it can. */
export function buildahMissing(): string | undefined {
  if (spawnSync("buildah", ["--version"]).status !== 0) return "no buildah; npm run setup";
  return process.getuid?.() === 0 ? undefined : "buildah is started as root here; run the tests as root";
}
