import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { openPrivateFolder } from "../../../platform/private-file.ts";
import { internalError, type StatusError } from "../errors/status-error.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import type { Change } from "./collection.ts";
import { changeLine, journalsIn, loadStorage, objectLine, SNAPSHOT, versionLine } from "./journal-lines.ts";
import type { Storage } from "./storage.ts";

/**
 * Takes a folder for this process; the returned function gives it back. Throws while another living process has it. A
 * lock that an ended process has left is taken over.
 */
function lockFolder(folder: string): () => void {
  const file = join(folder, "lock");
  const holder = holderOf(file);
  if (holder !== undefined) {
    throw new Error(`${folder} is in use by process ${holder}: stop it, or choose another folder`);
  }
  // Numbers of processes are used again, so its start belongs to it.
  writeFileSync(file, `${process.pid} ${startOf(process.pid)}`, { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

function holderOf(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const [pid = "", start] = readFileSync(file, "utf8").split(" ");
  return startOf(Number(pid)) === start ? Number(pid) : undefined;
}

/** Returns when a process was started, in a form that only compares; undefined when it is over. */
function startOf(pid: number): string | undefined {
  if (process.platform !== "linux") return isKnown(pid) ? "unknown" : undefined;
  try {
    // `pid (command) state … starttime …`; the command may hold anything but is the last in parentheses.
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const isOver = state === "Z" || state === "X";
    return isOver ? undefined : fields[STARTTIME];
  } catch {
    return undefined;
  }
}

/** Field 22 of proc(5), behind the state, which is field 3. */
const STARTTIME = 18;

function isKnown(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives and belongs to another process.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A snapshot is worth its time when the journal is this large, and larger than the snapshot. */
const JOURNAL_MIN_BYTES = 8 * 1024 * 1024;
const WRITE_CHUNK_CHARACTERS = 1024 * 1024;
/** Secrets are among the objects. */
const OWNER_ONLY = 0o600;

/**
 * The objects of one virtual server in a folder: `snapshot.jsonl` has all of them at one version, and
 * `journal-<version>.jsonl` every change after it. A change is written before its answer is sent, so it outlives the
 * process; it does not outlive a power failure, because nothing waits for the disk.
 */
export class Journal {
  readonly #folder: string;
  readonly #unlock: () => void;
  readonly #minBytes: number;
  #storage: Storage;
  #file: number;
  #path: string;
  /** The failure of a write: once it is set, the end of the file is not known, and nothing is written after it. */
  #failure: StatusError | undefined;
  #bytes: number;
  #snapshotBytes = 0;
  #snapshot: Promise<void> | undefined;

  /**
   * Opens a folder, made when it is missing. Throws when another process uses it, when others own or may change it, and
   * when its content is damaged elsewhere than at the end. `minBytes` is the size of the journal from which on
   * snapshots are taken.
   */
  constructor(folder: string, minBytes = JOURNAL_MIN_BYTES) {
    openPrivateFolder(folder);
    this.#folder = folder;
    this.#minBytes = minBytes;
    this.#unlock = lockFolder(folder);
    try {
      this.#storage = loadStorage(folder);
      this.#path = join(folder, journalsIn(folder).at(-1) ?? journalName(this.#storage));
      this.#file = openSync(this.#path, "a", OWNER_ONLY);
      this.#bytes = fstatSync(this.#file).size;
      this.#snapshotBytes = statSync(join(folder, SNAPSHOT), { throwIfNoEntry: false })?.size ?? 0;
    } catch (error) {
      this.#unlock();
      throw error;
    }
    this.#storage.recordIn(this);
  }

  /** Content of the folder; every change of it is recorded. */
  get storage(): Storage {
    return this.#storage;
  }

  /**
   * Writes a change, as a whole or not at all. Throws StatusError 500 when it cannot: then nothing is stored, and the
   * next change is tried again.
   */
  record(type: string, change: Change): void {
    if (this.#failure !== undefined) throw this.#failure;
    const bytes = Buffer.from(changeLine(type, change));
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    } catch (error) {
      throw this.#cutBack(error);
    }
    this.#bytes += bytes.length;
    if (this.#bytes > Math.max(this.#minBytes, this.#snapshotBytes)) this.#startSnapshot();
  }

  /** Removes what was written of a change, so that the next one begins a line. */
  #cutBack(error: unknown): StatusError {
    const problem = `${this.#path} cannot be written (${reasonOf(error)})`;
    try {
      ftruncateSync(this.#file, this.#bytes);
    } catch (second) {
      const text = `${problem} nor cut back (${reasonOf(second)}): nothing is stored any more; see to its disk and start the server again`;
      this.#failure = internalError(`Internal error occurred: ${text}`);
      return this.#failure;
    }
    return internalError(
      `Internal error occurred: ${problem}: the change is not stored; free space on its disk or see to it, and try again`,
    );
  }

  /** Continues with other objects, whose version may be lower: a restore from a backup. */
  async replace(storage: Storage): Promise<void> {
    this.#storage.recordIn(undefined);
    await this.#snapshot;
    const replaced = journalsIn(this.#folder);
    try {
      await this.#writeSnapshot(storage);
    } catch (error) {
      this.#storage.recordIn(this);
      throw error;
    }
    this.#storage = storage;
    for (const name of replaced) rmSync(join(this.#folder, name));
    this.#openNext();
    storage.recordIn(this);
  }

  async close(): Promise<void> {
    this.#storage.recordIn(undefined);
    await this.#snapshot;
    closeSync(this.#file);
    this.#unlock();
  }

  /**
   * Changes go to the next journal at once; the older ones are removed when the snapshot is complete. Without space for
   * either, the present journal continues, and the next try is when it has grown once more.
   */
  #startSnapshot(): void {
    if (this.#snapshot !== undefined) return;
    const older = journalsIn(this.#folder);
    // The change that is being recorded is in the older journal and not in the storage yet.
    this.#snapshot = Promise.resolve().then(async () => {
      try {
        this.#openNext();
        await this.#writeSnapshot(this.#storage);
        for (const name of older) rmSync(join(this.#folder, name));
      } catch {
        // Everything is still in the journals.
        this.#snapshotBytes = Math.max(this.#snapshotBytes, this.#bytes + this.#minBytes);
      } finally {
        this.#snapshot = undefined;
      }
    });
  }

  #openNext(): void {
    const path = join(this.#folder, journalName(this.#storage));
    const file = openSync(path, "a", OWNER_ONLY);
    closeSync(this.#file);
    this.#file = file;
    this.#path = path;
    this.#bytes = fstatSync(file).size;
  }

  /** The present snapshot stays until the new one is complete. */
  async #writeSnapshot(storage: Storage): Promise<void> {
    const temporary = join(this.#folder, `${SNAPSHOT}.new`);
    try {
      this.#snapshotBytes = await writeObjects(temporary, storage);
      await rename(temporary, join(this.#folder, SNAPSHOT));
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }
}

/** Returns the length of what was written. */
async function writeObjects(path: string, storage: Storage): Promise<number> {
  // Both before the first wait: changes continue meanwhile.
  let text = versionLine(storage.version);
  const objects = allObjects(storage);
  await using file = await open(path, "w", OWNER_ONLY);
  let length = 0;
  const flush = async () => {
    length += text.length;
    // Unlike write, it does not return before everything is written.
    await file.appendFile(text);
    text = "";
  };
  for (const [type, object] of objects) {
    text += objectLine(type, object);
    if (text.length > WRITE_CHUNK_CHARACTERS) await flush();
  }
  await flush();
  await file.sync();
  return length;
}

/** Returns `ENOSPC: no space left on device`, without the call. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, \w+$/, "") : String(error);
}

function journalName({ version }: Storage): string {
  return `journal-${version}.jsonl`;
}

function allObjects(storage: Storage): readonly (readonly [type: string, object: KubeObject])[] {
  return [...storage.collections].flatMap(([type, collection]) =>
    [...collection.values()].map((object) => [type, object] as const),
  );
}
