import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const MAX_OUTPUT = { maxBuffer: 16 * 2 ** 20 };

/** The process of a container, by the names that Docker and the OCI image configuration share. */
export interface Process {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly WorkingDir: string;
}

interface Blob {
  readonly digest: string;
  readonly size: number;
}

/** The parts of a manifest that tests look at. */
interface Manifest {
  readonly config: Blob;
  readonly layers: readonly Blob[];
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
  /** Unpacks all layers: what is in them is what is tested. Returns the folder with the files. */
  rootOf(architecture: string): Promise<string>;
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
    async rootOf(architecture) {
      const root = join(out, "root", architecture);
      if (existsSync(root)) return root;
      await mkdir(root, { recursive: true });
      for (const { digest } of (await manifestOf(architecture)).layers) {
        const how = ["--extract", "--preserve-permissions", "--gzip"];
        await promisify(execFile)("tar", [...how, "--file", fileOf(digest), "--directory", root]);
      }
      return root;
    },
  };
}

/** The regular files below a folder, absolute. */
export async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
}
