import { execFile } from "node:child_process";
import { promisify } from "node:util";

const MAX_BYTES = 64 * 1024 * 1024;

/** Runs a program in `cwd` to its end and returns its output. Throws with what it wrote to stderr, or how to get it. */
export async function run(program: string, args: readonly string[], cwd?: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { maxBuffer: MAX_BYTES, cwd });
    return stdout;
  } catch (error) {
    const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: string };
    if (code === "ENOENT") {
      throw new Error(
        `${program} is missing; the image is built on Debian or one of its children, with git, npm and buildah`,
      );
    }
    throw new Error(`${program} failed: ${stderr?.trim() || String(error)}`);
  }
}
