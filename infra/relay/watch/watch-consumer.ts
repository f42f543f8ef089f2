import type { KubeObject, ObjectKey } from "../../../shared/api/kinds.ts";
import type { WatchEvent } from "../../../shared/runtime/ports.ts";

/** What a loop tells; it waits for each call, so a slow consumer slows the server down (KR-16). */
export interface WatchConsumer {
  /** What is kept of an object of a list, applied as it arrives. */
  reduce(object: KubeObject): KubeObject;
  /** What is known of an object, so that it need not be read when objects are listed one by one. */
  stored?(key: ObjectKey): Promise<KubeObject | undefined>;
  /** Asked once at the start: what is kept of an earlier watch, to go on from without a first list. */
  resume?(): Promise<Kept | undefined>;
  /** The server is the one that what is kept is of: nothing but what has changed since will be told. */
  resumed?(): Promise<void>;
  /** A complete list replaces what was known. */
  listed(items: readonly KubeObject[], list: CompleteList): Promise<void>;
  /** Of events that came meanwhile about one object only the newest is told. */
  changed(event: WatchEvent): Promise<void>;
  /** A bookmark: everything up to this version has been seen. */
  reached?(resourceVersion: string): Promise<void>;
  /** Three 404s over 60 s: the server does not serve the type. */
  gone?(): Promise<void>;
  /** After every failed attempt; must not wait for the loop. */
  failed?(error: unknown): void;
}

interface Kept {
  readonly resourceVersion: string;
  readonly items: readonly KubeObject[];
}

interface CompleteList {
  readonly resourceVersion: string;
  /** Nothing of it was known before: the first list of this loop, or the first after a loss. */
  readonly first: boolean;
  /** What the server has cannot follow from what the watch before told: it was restored or replaced (KR-12). */
  readonly restored: boolean;
  /** The server sends more than it may: what is missing for that reason (KR-11). */
  readonly oversized: string | undefined;
}
