import { closeSync, mkdirSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Change } from "./collection.ts";
import { lockFolder } from "./folder-lock.ts";
import { changeLine, objectLine, versionLine } from "./journal-lines.ts";
import { journalsIn, loadStorage, SNAPSHOT } from "./journal-load.ts";
import type { KubeObject } from "./kube-object.ts";
import type { Storage } from "./storage.ts";

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
  #bytes: number;
  #snapshotBytes = 0;
  #snapshot: Promise<void> | undefined;

  /**
   * Opens a folder, made when it is missing. Throws when another process uses it, and when its content is damaged
   * elsewhere than at the end. `minBytes` is the size of the journal from which on snapshots are taken.
   */
  constructor(folder: string, minBytes = JOURNAL_MIN_BYTES) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.#minBytes = minBytes;
    this.#unlock = lockFolder(folder);
    try {
      this.#storage = loadStorage(folder);
      const newest = join(folder, journalsIn(folder).at(-1) ?? journalName(this.#storage));
      this.#file = openSync(newest, "a", OWNER_ONLY);
      this.#bytes = statSync(newest).size;
      this.#snapshotBytes = statSync(join(folder, SNAPSHOT), { throwIfNoEntry: false })?.size ?? 0;
    } catch (error) {
      this.#unlock();
      throw error;
    }
    this.#storage.recordIn(this);
  }

  /** What the folder holds; every change of it is recorded. */
  get storage(): Storage {
    return this.#storage;
  }

  record(type: string, change: Change): void {
    const bytes = Buffer.from(changeLine(type, change));
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    this.#bytes += bytes.length;
    if (this.#bytes > Math.max(this.#minBytes, this.#snapshotBytes)) this.#startSnapshot();
  }

  /** Goes on with other objects, whose version may be lower: a restore from a backup. */
  async replace(storage: Storage): Promise<void> {
    this.#storage.recordIn(undefined);
    await this.#snapshot;
    this.#storage = storage;
    const replaced = journalsIn(this.#folder);
    closeSync(this.#file);
    await this.#writeSnapshot();
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

  /** Changes go to the next journal at once; the older ones are removed when the snapshot is complete. */
  #startSnapshot(): void {
    if (this.#snapshot !== undefined) return;
    const older = journalsIn(this.#folder);
    // The change that is being recorded is in the older journal and not in the storage yet.
    this.#snapshot = Promise.resolve().then(async () => {
      closeSync(this.#file);
      this.#openNext();
      try {
        await this.#writeSnapshot();
        for (const name of older) rmSync(join(this.#folder, name));
      } catch {
        // Without a snapshot everything is still in the journals; the next one is tried when this one is full.
      } finally {
        this.#snapshot = undefined;
      }
    });
  }

  #openNext(): void {
    this.#file = openSync(join(this.#folder, journalName(this.#storage)), "a", OWNER_ONLY);
    this.#bytes = 0;
  }

  async #writeSnapshot(): Promise<void> {
    const { version } = this.#storage;
    const objects = allObjects(this.#storage);
    const temporary = join(this.#folder, `${SNAPSHOT}.new`);
    await using file = await open(temporary, "w", OWNER_ONLY);
    let text = versionLine(version);
    this.#snapshotBytes = 0;
    const flush = async () => {
      this.#snapshotBytes += text.length;
      await file.write(text);
      text = "";
    };
    for (const [type, object] of objects) {
      text += objectLine(type, object);
      if (text.length > WRITE_CHUNK_CHARACTERS) await flush();
    }
    await flush();
    await file.sync();
    await rename(temporary, join(this.#folder, SNAPSHOT));
  }
}

function journalName({ version }: Storage): string {
  return `journal-${version}.jsonl`;
}

function allObjects(storage: Storage): readonly (readonly [type: string, object: KubeObject])[] {
  return [...storage.collections].flatMap(([type, collection]) =>
    [...collection.values()].map((object) => [type, object] as const),
  );
}
