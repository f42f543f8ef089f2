const PROBLEMS: { readonly [code: string]: string } = {
  ENOENT: "the file is missing",
  ENOTDIR: "a part of its path is not a folder",
  EACCES: "this user may not read it",
  EPERM: "this user may not read it",
};

/** Returns why a file could not be read, in words that follow its name. */
export function fileProblem(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return PROBLEMS[code] ?? message;
}
