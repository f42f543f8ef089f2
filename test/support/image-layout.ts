import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Process } from "../../infra/deploy/image/process.ts";

const MAX_OUTPUT = { maxBuffer: 16 * 2 ** 20 };

interface Blob {
  readonly digest: string;
  readonly size: number;
}

/** The parts of a manifest that tests look at. */
interface Manifest {
  readonly config: Blob;
  readonly layers: readonly Blob[];
  readonly annotations: { readonly [key: string]: string };
}

interface Entry {
  /** `-rw-r--r--` */
  readonly mode: string;
  /** `0/0` */
  readonly owner: string;
  /** RFC 3339. */
  readonly time: string;
  readonly path: string;
}

/** The image that `npm run image` has written to a folder. */
export interface ImageLayout {
  /** `sha256:…` of the index. */
  readonly digest: string;
  manifestOf(architecture: string): Promise<Manifest>;
  processOf(architecture: string): Promise<Process>;
  entriesOf(layer: Blob): Promise<readonly Entry[]>;
  /** Folder with the files. */
  rootOf(architecture: string): string;
}

export async function readLayout(out: string): Promise<ImageLayout> {
  const layout = join(out, "oci");
  const fileOf = (digest: string) => join(layout, "blobs/sha256", digest.replace("sha256:", ""));
  const blobOf = async (digest: string) => JSON.parse(await readFile(fileOf(digest), "utf8"));
  const [{ digest }] = JSON.parse(await readFile(join(layout, "index.json"), "utf8")).manifests;
  const { manifests } = await blobOf(digest);
  const manifestOf = async (architecture: string): Promise<Manifest> => {
    const isWanted = ({ platform }: { platform: { architecture: string } }) =>
      platform.architecture === architecture;
    return blobOf(manifests.find(isWanted).digest);
  };
  return {
    digest,
    manifestOf,
    async processOf(architecture) {
      const { config } = await blobOf((await manifestOf(architecture)).config.digest);
      const { User, Env, Entrypoint, WorkingDir } = config;
      return { User, Env, Entrypoint, WorkingDir };
    },
    async entriesOf(layer) {
      const how = ["--list", "--verbose", "--numeric-owner", "--utc", "--full-time", "--gzip"];
      const { stdout } = await promisify(execFile)(
        "tar",
        [...how, "--file", fileOf(layer.digest)],
        MAX_OUTPUT,
      );
      return stdout
        .trimEnd()
        .split("\n")
        .map((line) => {
          const [mode = "", owner = "", , day, time, path = ""] = line.split(/ +/);
          return { mode, owner, time: `${day}T${time}Z`, path };
        });
    },
    rootOf: (architecture) => join(out, "root", architecture),
  };
}

/** The regular files below a folder, absolute. */
export async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
}

/** Path, type, mode, owner, time, size and target of everything below a folder. */
export async function listing(folder: string): Promise<readonly string[]> {
  const format = ["-mindepth", "1", "-printf", "%P %y %m %U %G %Ts %s %l\\n"];
  const { stdout } = await promisify(execFile)("find", [folder, ...format], MAX_OUTPUT);
  // The sizes of folders depend on the file system.
  const lines = stdout.split("\n").map((line) => line.replace(/( d .*) \d+ $/, "$1"));
  return lines.sort((a, b) => (a < b ? -1 : 1));
}
