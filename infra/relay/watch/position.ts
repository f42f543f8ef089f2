import type { Verdict } from "./recovery.ts";
import type { CompleteList } from "./watch-consumer.ts";

/** The position of a watch loop: the version up to which it has handled the events of its server. */
export class Position {
  /** The version from which a watch may resume. */
  #version: string | undefined;
  /** The version that the next list must have at least. */
  #seen: string | undefined;
  /** The next list is the first, or the first after a loss. */
  #isFirst: boolean = true;
  /** The server has gone back since the last list (KR-12). */
  #isRestored: boolean = false;

  get version(): string | undefined {
    return this.#version;
  }

  get seen(): string | undefined {
    return this.#seen;
  }

  /** Returns the facts that a consumer must know of the next list. */
  get news(): Pick<CompleteList, "first" | "since" | "restored"> {
    return { first: this.#isFirst, since: this.#seen, restored: this.#isRestored };
  }

  /** Notes that everything up to this version has been handled. */
  reached(resourceVersion: string): void {
    this.#version = resourceVersion;
    this.#seen = resourceVersion;
  }

  /** Notes that a list begins. */
  listing(): void {
    this.#version = undefined;
  }

  /** Notes that the list has been handled. */
  listed(): void {
    this.#isFirst = false;
    this.#isRestored = false;
  }

  /** Resumes from the version of an earlier watch. */
  resumed(resourceVersion: string): void {
    this.#isFirst = false;
    this.reached(resourceVersion);
  }

  /** Notes that the handled events have been lost: the next list is the first again. */
  lost(): void {
    this.#isFirst = true;
  }

  wentBack(): void {
    this.#isRestored = true;
    this.#seen = undefined;
  }

  failed({ isVoid, isRestored }: Pick<Verdict, "isVoid" | "isRestored">): void {
    if (isVoid) this.#version = undefined;
    if (isRestored) this.wentBack();
  }
}
