import { importsOf, type Source } from "../../support/sources.ts";

/** Reading figures of a function file. */
export interface Reading {
  readonly path: string;
  /** Modules that it imports. */
  readonly modules: number;
  /** Lines of its spec. */
  readonly specLines: number;
  /** The first four statements of its step, as far as they are code. */
  readonly start: string;
}

const FUNCTION_FILE = /^functions\/[^/]+\/[^/]+\.ts$/;
const START_LINES = 4;

/** Returns the figures of each function file; a step that is a rule has no start of its own. */
export function readingOf(sources: readonly Source[]): readonly Reading[] {
  return sources
    .filter(({ path }) => FUNCTION_FILE.test(path))
    .map((source) => {
      const lines = source.code.split("\n");
      const first = lines.findIndex((line) => /^ {2}\{$/.test(line));
      const last = lines.findIndex((line, at) => at > first && /^ {2}\},$/.test(line));
      const step = lines
        .slice(last + 2)
        .filter((line) => line.trim() !== "" && !line.trim().startsWith("//"));
      return {
        path: source.path,
        modules: new Set(importsOf(source)).size,
        specLines: last - first - 1,
        start: /^ {2}async/.test(lines[last + 1] ?? "") ? step.slice(0, START_LINES).join("\n") : "",
      };
    });
}

/** Returns functions of one kind whose steps begin alike. */
export function alike(readings: readonly Reading[]): readonly string[] {
  return readings.flatMap((one, at) =>
    readings
      .slice(at + 1)
      .filter((other) => one.start !== "" && one.start === other.start && folderOf(one) === folderOf(other))
      .map((other) => `${one.path} and ${other.path} begin alike`),
  );
}

function folderOf({ path }: Reading): string {
  return path.slice(0, path.lastIndexOf("/"));
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
