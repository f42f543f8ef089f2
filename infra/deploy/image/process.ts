import type { Source } from "./source.ts";

export const NODE = "/usr/local/bin/node";
export const MAIN = "/app/infra/cli/main.js";
/** The `nonroot` of distroless images. */
export const USER_ID = 65_532;

/** The process of a container, by the names that Docker and the OCI image configuration share. */
export interface Process {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly WorkingDir: string;
}

/**
 * Only an entry point can carry the options of V8: `NODE_OPTIONS` refuses one of them. With others V8 may refuse the
 * compiled code that Node.js brings along (give-back-memory.ts).
 */
export function processOf({ flags }: Pick<Source, "flags">): Process {
  return {
    User: `${USER_ID}:${USER_ID}`,
    // No home but the folder that a Pod mounts: the root is read-only.
    // The command line keeps compiled code there as well, but only after its own first files are compiled.
    Env: ["PATH=/usr/local/bin", "HOME=/tmp", "NODE_COMPILE_CACHE=/tmp/node-compile-cache"],
    Entrypoint: [NODE, ...flags, MAIN],
    WorkingDir: "/",
  };
}
