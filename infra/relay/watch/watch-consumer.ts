import type { KubeObject, ObjectKey } from "../../../shared/api/kinds.ts";

/** Receives lists and events of a loop, which waits for each call: a slow consumer slows the server down (KR-16). */
export interface WatchConsumer {
  /** Returns the part of a listed object that is kept; called as it arrives. */
  reduce(object: KubeObject): KubeObject;
  /** Returns the stored snapshot, which need not be read again when objects are listed one by one. */
  stored?(key: ObjectKey): Promise<KubeObject | undefined>;
  /** Called once at the start. Returns the state of an earlier watch, to resume from it without a first list. */
  resume?(): Promise<Kept | undefined>;
  /** Called when the loop resumes from that state: only later changes follow. */
  resumed?(): Promise<void>;
  /** A complete list, which replaces everything known. */
  listed(items: readonly KubeObject[], list: CompleteList): Promise<void>;
  /** The server has accepted the watch that follows the list, or continues one; must not wait for the loop. */
  following?(): void;
  /**
   * Objects that were added or changed. Of several events that wait for one object only the newest is handed over. With
   * these, every event up to `upTo` has been handed over.
   */
  changed(objects: readonly KubeObject[], upTo: string): Promise<void>;
  /** An object that was deleted at the version it carries. */
  deleted(object: KubeObject, upTo: string): Promise<void>;
  /** A bookmark: every event up to this version has been handed over. */
  reached?(resourceVersion: string): Promise<void>;
  /** Three 404s over 60 s: the server does not serve the type. */
  gone?(): Promise<void>;
  /** Runs after every failed attempt; it must not wait for the loop. */
  failed?(error: unknown): void;
}

export interface Kept {
  readonly resourceVersion: string;
  readonly items: readonly KubeObject[];
}

export interface CompleteList {
  readonly resourceVersion: string;
  /** Every event up to this version has been handed over; absent = up to that of the list. */
  readonly upTo?: string;
  /** The first list of this loop, or the first after a loss. */
  readonly first: boolean;
  /** Objects of later versions have changed since the loop had handed over all before; absent: it knows of none. */
  readonly since?: string | undefined;
  /** The objects of the server cannot follow from the earlier ones: it was restored or replaced (KR-12). */
  readonly restored: boolean;
  /** Set when the server sends more than it may: names the missing objects (KR-11). */
  readonly oversized: string | undefined;
}
