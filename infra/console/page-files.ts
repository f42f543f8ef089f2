/** A file of the page, as the build has made it. */
interface PageFile {
  readonly body: Uint8Array;
  readonly contentType: string;
}

/** Returns a file by its path, `/` for the shell; undefined: there is none. Every path without a dot is the shell's. */
export type ReadPage = (path: string) => Promise<PageFile | undefined>;
