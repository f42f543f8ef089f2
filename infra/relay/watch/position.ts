import type { Verdict } from "./recovery.ts";

/** How far a watch loop has come with its server. */
export class Position {
  /** Where a watch may go on. */
  #version: string | undefined;
  /** What the next list must show at least. */
  #seen: string | undefined;
  /** Of what the next list says nothing is known. */
  #isFirst: boolean = true;
  /** The server has gone back since the last list (KR-12). */
  #isRestored: boolean = false;

  get version(): string | undefined {
    return this.#version;
  }

  get seen(): string | undefined {
    return this.#seen;
  }

  /** What a consumer must know of the next list. */
  get news(): { readonly first: boolean; readonly restored: boolean } {
    return { first: this.#isFirst, restored: this.#isRestored };
  }

  /** Everything up to this version has been told. */
  reached(resourceVersion: string): void {
    this.#version = resourceVersion;
    this.#seen = resourceVersion;
  }

  /** A list begins. */
  listing(): void {
    this.#version = undefined;
  }

  /** The list has been told. */
  listed(): void {
    this.#isFirst = false;
    this.#isRestored = false;
  }

  /** What is kept of an earlier watch is taken up. */
  resumed(resourceVersion: string): void {
    this.#isFirst = false;
    this.reached(resourceVersion);
  }

  /** What was told has been lost: the next list is the first again. */
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
