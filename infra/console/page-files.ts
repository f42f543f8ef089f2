/** A file of the page, as the build has made it. */
export interface PageFile {
  readonly body: Uint8Array;
  readonly contentType: string;
}

/** Returns a file by its path: the shell for every path that is not one of its other files. Undefined: the page is not built. */
export type ReadPage = (path: string) => Promise<PageFile | undefined>;
